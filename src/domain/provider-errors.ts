/**
 * What a refusal by a provider means for the message. Each provider has a table of its own codes; what is
 * not in it is judged by its HTTP status, here. The words are ours: a provider's own may quote the number.
 */
import type { SendOutcome } from './outcome.ts'

export type Rejection = Extract<SendOutcome, { kind: 'rejected' }>
export type Doubt = Extract<SendOutcome, { kind: 'unknown' }>
/** Without the wait, which stands in a header of the answer. */
export type Deferral = Omit<Extract<SendOutcome, { kind: 'deferred' }>, 'retryAfter'>
export type ProviderError = Rejection | Deferral | Doubt

/** No other attempt at this message would fare better. */
export const forMessage = (code: string, detail: string): Rejection => ({
  kind: 'rejected',
  blame: 'message',
  code,
  detail,
})

/** This provider or our account there cannot do it; another may. */
export const forProvider = (code: string, detail: string): Rejection => ({
  kind: 'rejected',
  blame: 'provider',
  code,
  detail,
})

/** It was certainly not processed, and may be later. */
export const forNow = (code: string, detail: string): Deferral => ({ kind: 'deferred', code, detail })

/** The same, and the provider itself is well. */
export const forRecipient = (code: string, detail: string): Deferral => ({
  kind: 'deferred',
  code,
  detail,
  blame: 'recipient',
})

export const inDoubt = (code: string, detail: string): Doubt => ({ kind: 'unknown', code, detail })

export const TOO_FAST = forNow('RATE_LIMITED', 'the provider takes no more requests for now')

/** Statuses by which a server refuses what was asked, not whoever asked it. */
const ABOUT_THE_MESSAGE = new Set([400, 413, 414, 422])

/** `code` is that of the provider in our words, where it gave one. */
export function byHttpStatus(status: number, code = `HTTP_${status}`): ProviderError {
  const detail = `the provider answered ${status}`
  // Neither was processed: the one was too many, of the other only a part arrived.
  if (status === 429) return TOO_FAST
  if (status === 408) return forNow(code, detail)
  if (ABOUT_THE_MESSAGE.has(status)) return forMessage(code, detail)
  if (status >= 400 && status < 500) return forProvider(code, detail)
  return inDoubt(code, `${detail}, which does not tell whether it has the message`)
}
