/** Thrown by an engine that is temporarily unavailable: nothing was changed, and the caller may retry. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

/** The database is unavailable, which neither takes messages nor sends them. */
export class DatabaseUnavailable extends Unavailable {}

/** The same for one tenant, which has too much waiting already; others are served. The message is for the caller. */
export class TenantOverload extends Unavailable {}

/** The message of an error with its causes, for log lines. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`
}
