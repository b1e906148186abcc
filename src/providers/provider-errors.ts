/**
 * What a provider's answer means for the message when it did not accept it. Each provider has a table of its own
 * codes; what is not in it is judged by its HTTP status, here. The words are ours: a provider's own may quote the
 * number.
 *
 * An answer is knowledge: a provider that answers with an error did not take the message. Only what leaves that open
 * is `unknown`.
 */
import type { SendOutcome } from '../domain/message/outcome.ts'

export type Rejection = Extract<SendOutcome, { kind: 'rejected' }>
export type UnknownOutcome = Extract<SendOutcome, { kind: 'unknown' }>
/** Without the wait, which stands in a header of the answer. */
export type Deferral = Omit<Extract<SendOutcome, { kind: 'deferred' }>, 'retryAfter'>
export type ProviderError = Rejection | Deferral | UnknownOutcome

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

/** It was not processed, and may be later. */
export const forNow = (code: string, detail: string): Deferral => ({ kind: 'deferred', code, detail })

/** The same, and the provider itself is well. */
export const forRecipient = (code: string, detail: string): Deferral => ({
  kind: 'deferred',
  code,
  detail,
  blame: 'recipient',
})

export const unknownOutcome = (code: string, detail: string): UnknownOutcome => ({ kind: 'unknown', code, detail })

export const TOO_FAST = forNow('RATE_LIMITED', 'the provider takes no more requests for now')

/** Statuses that blame the request rather than whoever made it. */
const ABOUT_THE_MESSAGE = new Set([400, 413, 414, 422])

/**
 * The address is wrong (RFC 9110, 15.4): the request is to be repeated elsewhere, so it was not carried out here.
 * 302 and 303 are different: servers also send them after they carried out a POST, to point at its result.
 */
const MOVED = new Set([301, 307, 308])

/**
 * A proxy passed the request on and got no answer that it could read, so the provider may have acted on it:
 * 504 (RFC 9110, 15.6.5), 520 and 524 (Cloudflare's 5xx errors), 598 and 599 (network time-outs of some proxies).
 * Cloudflare's other statuses (521 to 523, 525, 526, 530) say that it could not even connect to the provider.
 */
const OPEN_5XX = new Set([504, 520, 524, 598, 599])

/**
 * What a status means by itself. 5xx says that the server failed to fulfil the request (RFC 9110, 15.6); except for
 * `OPEN_5XX` we take its word for it and try again. `code` is our word for the provider's own code of a 4xx answer.
 */
export function byHttpStatus(status: number, code = `HTTP_${status}`): ProviderError {
  const detail = `the provider answered ${status}`
  if (MOVED.has(status)) return forProvider('ENDPOINT_MOVED', `${detail}: it wants to be called at another address`)
  if (status === 429) return TOO_FAST
  // 408: the request did not arrive whole. 425: it came too early to be processed.
  if (status === 408 || status === 425) return forNow(code, detail)
  if (ABOUT_THE_MESSAGE.has(status)) return forMessage(code, detail)
  if (status >= 400 && status < 500) return forProvider(code, detail)
  if (isServerError(status) && !OPEN_5XX.has(status)) return forNow(`HTTP_${status}`, detail)
  return unknownOutcome(`HTTP_${status}`, `${detail}, which does not tell whether it has the message`)
}

const isServerError = (status: number): boolean => status >= 500 && status < 600

/**
 * What an answer means by its status and by what the provider's table says of its code. A refusal that comes with a
 * 5xx is not believed: the server was not well when it judged the message. That it asks for patience, or leaves the
 * outcome open, is.
 */
export function byStatusAndCode(status: number, listed: ProviderError | undefined, unlisted?: string): ProviderError {
  const byStatus = byHttpStatus(status, unlisted)
  if (listed === undefined || status < 400 || status >= 600 || OPEN_5XX.has(status)) return byStatus
  return isServerError(status) && listed.kind === 'rejected' ? byStatus : listed
}
