/**
 * Maps a provider's error to an outcome. Each provider has a table of its own error codes; codes that are not listed
 * are classified by HTTP status, here. `detail` is always our own text, because the provider's may quote the
 * recipient.
 *
 * A provider that answers with an error did not take the message. The outcome is `unknown` only if the answer leaves
 * that open.
 */
import type { SendOutcome } from '../domain/message/outcome.ts'

export type Rejection = Extract<SendOutcome, { kind: 'rejected' }>
export type UnknownOutcome = Extract<SendOutcome, { kind: 'unknown' }>
/** Without the wait, which is in a header of the answer. */
export type Deferral = Omit<Extract<SendOutcome, { kind: 'deferred' }>, 'retryAfter'>
export type ProviderError = Rejection | Deferral | UnknownOutcome

/** The message is at fault: no other provider would accept it either. */
export const forMessage = (code: string, detail: string): Rejection => ({
  kind: 'rejected',
  blame: 'message',
  code,
  detail,
})

/** This provider or our account there cannot send it; another provider may. */
export const forProvider = (code: string, detail: string): Rejection => ({
  kind: 'rejected',
  blame: 'provider',
  code,
  detail,
})

/** The provider did not process it; we retry later. */
export const forNow = (code: string, detail: string): Deferral => ({ kind: 'deferred', code, detail })

/** The recipient cannot be reached for now; the provider is healthy. */
export const forRecipient = (code: string, detail: string): Deferral => ({
  kind: 'deferred',
  code,
  detail,
  blame: 'recipient',
})

export const unknownOutcome = (code: string, detail: string): UnknownOutcome => ({ kind: 'unknown', code, detail })

/** With the provider's own code, if it gave one. */
export const withOriginalCode = <Of extends ProviderError>(error: Of, originalCode: string | undefined): Of =>
  originalCode === undefined ? error : { ...error, originalCode }

export const TOO_FAST = forNow('RATE_LIMITED', 'the provider limits our request rate')

export const EXPIRED = forMessage('EXPIRED', 'the validity period ended before the message was sent')

/** Statuses that blame the request, not the client. */
const ABOUT_THE_MESSAGE = new Set([400, 413, 414, 422])

/**
 * The URL is wrong (RFC 9110, 15.4): the request must be repeated elsewhere, so it was not processed here.
 * 302 and 303 are different: servers also send them after processing a POST, to point at its result.
 */
const MOVED = new Set([301, 307, 308])

/**
 * A proxy forwarded the request and got no readable answer, so the provider may have processed it: 504 (RFC 9110,
 * 15.6.5), 520 and 524 (Cloudflare's 5xx errors), 598 and 599 (network timeouts of some proxies). Cloudflare's other
 * statuses (521 to 523, 525, 526, 530) mean that it could not connect to the provider.
 */
const OPEN_5XX = new Set([504, 520, 524, 598, 599])

/**
 * Classifies an HTTP status alone. A 5xx says that the server failed to process the request (RFC 9110, 15.6), so we
 * retry, except for `OPEN_5XX`. `code` is our name for the provider's own code of a 4xx answer.
 */
export function byHttpStatus(status: number, code = `HTTP_${status}`): ProviderError {
  const detail = `the provider answered HTTP ${status}`
  if (MOVED.has(status)) return forProvider('ENDPOINT_MOVED', `${detail}: its API has moved to another URL`)
  if (status === 429) return TOO_FAST
  // 408: the request arrived incomplete. 425: it arrived too early to be processed.
  if (status === 408 || status === 425) return forNow(code, detail)
  if (ABOUT_THE_MESSAGE.has(status)) return forMessage(code, detail)
  if (status >= 400 && status < 500) return forProvider(code, detail)
  if (isServerError(status) && !OPEN_5XX.has(status)) return forNow(`HTTP_${status}`, detail)
  return unknownOutcome(`HTTP_${status}`, `${detail}, which does not say whether it took the message`)
}

const isServerError = (status: number): boolean => status >= 500 && status < 600

/**
 * Classifies an answer by its status and by what the provider's table says about its code. A rejection with a 5xx is
 * ignored: a failing server is not to be trusted to judge the message. A deferral or an unknown outcome is kept.
 */
export function byStatusAndCode(status: number, listed: ProviderError | undefined, unlisted?: string): ProviderError {
  const byStatus = byHttpStatus(status, unlisted)
  if (listed === undefined || status < 400 || status >= 600 || OPEN_5XX.has(status)) return byStatus
  return isServerError(status) && listed.kind === 'rejected' ? byStatus : listed
}
