/** What caused an error: the message, its recipient, our account with the provider, the provider, or Pombo itself. */
import { ERROR_SUBJECTS } from './error-texts.ts'

export const BLAMES = ['message', 'recipient', 'account', 'provider', 'pombo'] as const
export type Blame = (typeof BLAMES)[number]

const BLAME_OF: ReadonlyMap<string, Blame> = new Map(
  BLAMES.flatMap((blame) => Object.keys(ERROR_SUBJECTS[blame]).map((code) => [code, blame] as const)),
)

/** Total: a code that is listed nowhere is the provider's own. */
export const blameOf = (code: string): Blame => BLAME_OF.get(code) ?? 'provider'
