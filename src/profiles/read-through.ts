/**
 * The shared cache of the cluster: copies in Redis, which is read and written only while it decides on limits, too.
 * What could not be dropped meanwhile is dropped before it is read again.
 */
import type { Copies } from '../engines/redis/copies.ts'
import type { SharedCache } from '../ports/shared-cache.ts'

export type ReadThroughDeps = Readonly<{
  copies: Pick<Copies, 'find' | 'store' | 'drop' | 'dropAll'>
  /** Undefined when Redis is unreachable. */
  tryRedis: <Answer>(ask: () => Promise<Answer>) => Promise<Answer | undefined>
}>

/** With more copies than this to drop, all are. */
const MAX_TRACKED = 10_000
const DROP_BATCH = 1_000

export class ReadThrough implements SharedCache {
  readonly #deps: ReadThroughDeps
  /** The copies to drop. */
  readonly #outdated = new Set<string>()
  #hasUntracked = false

  constructor(deps: ReadThroughDeps) {
    this.#deps = deps
  }

  async read(name: string, load: () => Promise<string>): Promise<string> {
    const { copies, tryRedis } = this.#deps
    const found = await tryRedis(() => copies.find(name))
    if (found?.kind === 'found') return found.text
    const text = await load()
    // Nobody has to wait for it.
    if (found !== undefined) void tryRedis(() => copies.store(name, found.lease, text))
    return text
  }

  async drop(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (this.#outdated.size >= MAX_TRACKED) this.#hasUntracked = true
      else this.#outdated.add(name)
    }
    await this.#deps.tryRedis(() => this.dropOutdated())
  }

  /** Rejects if Redis cannot be reached. */
  async dropOutdated(): Promise<void> {
    const { copies } = this.#deps
    while (this.#outdated.size > 0) {
      const [all, names] = [this.#hasUntracked, [...this.#outdated].slice(0, DROP_BATCH)]
      this.#hasUntracked = false
      for (const name of names) this.#outdated.delete(name)
      try {
        await (all ? copies.dropAll() : copies.drop(names))
      } catch (error) {
        for (const name of names) this.#outdated.add(name)
        this.#hasUntracked ||= all
        throw error
      }
    }
  }
}
