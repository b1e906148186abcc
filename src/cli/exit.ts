/** How a command ends: its exit code, and one clear sentence when it went wrong. */

/** The numbers are those of sysexits.h, where they have a meaning of their own. */
export const EXIT = { ok: 0, failure: 1, usage: 2, unavailable: 69, cannotCreate: 73, config: 78 } as const

/** An end with a sentence for the person who gave the command. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number

  constructor(exitCode: number, sentence: string, cause?: unknown) {
    super(sentence, { cause })
    this.exitCode = exitCode
  }
}

export const usageError = (sentence: string): CommandError => new CommandError(EXIT.usage, sentence)
export const failure = (sentence: string, cause?: unknown): CommandError =>
  new CommandError(EXIT.failure, sentence, cause)
export const unavailable = (sentence: string, cause?: unknown): CommandError =>
  new CommandError(EXIT.unavailable, sentence, cause)

/** Whatever an error or one of its causes says about itself in a field of this name. */
export function findInCauses(error: unknown, field: 'code' | 'exitCode'): unknown {
  if (!(error instanceof Error)) return undefined
  const own: unknown = (error as Error & Record<typeof field, unknown>)[field]
  return own ?? findInCauses(error.cause, field)
}

export function toExitCode(error: unknown): number {
  const code = findInCauses(error, 'exitCode')
  return typeof code === 'number' ? code : EXIT.failure
}
