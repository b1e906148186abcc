/** Exit codes, and the errors that end a command with one. */

/** Codes above 2 are those of sysexits.h. */
export const EXIT = { ok: 0, failure: 1, usage: 2, unavailable: 69, cannotCreate: 73, config: 78 } as const

/** Ends the command with a message for the user. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number

  constructor(exitCode: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

export const usageError = (message: string): CommandError => new CommandError(EXIT.usage, message)
export const failure = (message: string, cause?: unknown): CommandError =>
  new CommandError(EXIT.failure, message, cause)
export const unavailable = (message: string, cause?: unknown): CommandError =>
  new CommandError(EXIT.unavailable, message, cause)

/** The first value of this field in an error and its causes. */
export function findInCauses(error: unknown, field: 'code' | 'exitCode' | 'port' | 'hostname'): unknown {
  if (!(error instanceof Error)) return undefined
  const own: unknown = (error as Error & Record<typeof field, unknown>)[field]
  return own ?? findInCauses(error.cause, field)
}

export function toExitCode(error: unknown): number {
  const code = findInCauses(error, 'exitCode')
  return typeof code === 'number' ? code : EXIT.failure
}
