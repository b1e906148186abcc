/** What an engine throws when it cannot do what it promises right now: nothing was changed, try again. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

/** What went wrong and why, as far as its causes tell: for a line in a log. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`
}
