/** What became of a mail, by what became of the call to SES. */
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { type Millis, millis } from '../../lib/time.ts'
import { type HttpFailure, type HttpReason, sentenceOf } from '../http.ts'
import { forNow, unknownOutcome } from '../provider-errors.ts'
import type { Called } from './client.ts'
import { ACCOUNT_WAIT, type SesAnswer, toSesError } from './errors.ts'

const AT_ANY_TIME = millis(0)

export const NO_TURN: SendOutcome = {
  ...forNow('SES_MAX_SEND_RATE_EXCEEDED', 'the mail found no turn at the rate that the account may send at'),
  retryAfter: AT_ANY_TIME,
}
const UNSIGNED: SendOutcome = {
  ...forNow('SES_CREDENTIALS_UNAVAILABLE', 'there are no credentials to call SES with'),
  retryAfter: AT_ANY_TIME,
}
const NAMELESS = unknownOutcome('SES_NAMELESS', 'SES answered that it has a mail, and not which one')

/** `isHeard`: SES tells us what becomes of what it takes. */
export function toOutcome(called: Called, isHeard: boolean): SendOutcome {
  switch (called.kind) {
    case 'taken':
      if (!called.id) return NAMELESS
      return { kind: 'accepted', providerMessageId: called.id, ...(isHeard ? {} : { noDeliveryReports: true }) }
    case 'refused':
      return toRefused(called.answer, called.wait)
    case 'unsigned':
      return UNSIGNED
    case 'unsent':
      return { kind: 'deferred', ...toReason(called), retryAfter: AT_ANY_TIME }
    case 'unknown':
      return { kind: 'unknown', ...toReason(called) }
  }
}

function toRefused(answer: SesAnswer, wait: Millis): SendOutcome {
  const error = toSesError(answer)
  if (error.kind !== 'deferred') return error
  return { ...error, retryAfter: error.blame === 'account' ? millis(Math.max(wait, ACCOUNT_WAIT)) : wait }
}

const CODES: Partial<Record<HttpReason, string>> = { TIMEOUT: 'SES_TIMEOUT', ABORTED: 'ABORTED' }

const toReason = ({ reason }: HttpFailure) => ({ code: CODES[reason] ?? 'NETWORK_ERROR', detail: sentenceOf(reason) })
