/** Copies of rows that all processes share, so that a read seldom needs the database. Unreachable, it holds nothing. */
export interface SharedCache {
  /** The copy of this name, or else what `load` returns, which is kept for the next readers. */
  read(name: string, load: () => Promise<string>): Promise<string>

  /**
   * Resolves when nobody gets these copies any more. Call it after the change is stored. While the cache is unreachable
   * it resolves at once: then this process drops them before it reads copies again.
   */
  drop(names: readonly string[]): Promise<void>
}
