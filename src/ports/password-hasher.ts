/** Hashes passwords with a slow function, off the main thread. Both methods throw `Unavailable` when too many wait. */
export interface PasswordHasher {
  /** The hash with its parameters and salt. */
  hash(password: string): Promise<string>

  /**
   * Without a hash, takes equally long and answers `wrong`. `outdated`: the password is right, but its hash has other
   * parameters than new ones.
   */
  verify(password: string, encoded: string | undefined): Promise<'wrong' | 'right' | 'outdated'>
}
