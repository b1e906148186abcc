/** The outcome of a mail, from the result of the call to SES. */
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Millis, millis } from '../../lib/time.ts'
import { describeReason, type HttpFailure, type HttpReason } from '../http.ts'
import { forNow, unknownOutcome, withOriginalCode } from '../provider-errors.ts'
import type { CallResult } from './client.ts'
import { ACCOUNT_WAIT, originalCodeOf, type SesAnswer, toSesError } from './errors.ts'

const NO_WAIT = millis(0)

export const QUEUE_TIMEOUT: SendOutcome = {
  ...forNow('SES_MAX_SEND_RATE_EXCEEDED', "the email waited too long for the account's send rate"),
  retryAfter: NO_WAIT,
}
const UNSIGNED: SendOutcome = {
  ...forNow('SES_CREDENTIALS_UNAVAILABLE', 'no AWS credentials are available to sign the request'),
  retryAfter: NO_WAIT,
}
const WITHOUT_ID = unknownOutcome('SES_NO_MESSAGE_ID', 'SES accepted an email but did not return its id')

/** `hasReports`: SES sends us notifications about the mail. */
export function toOutcome(result: CallResult, hasReports: boolean): SendOutcome {
  switch (result.kind) {
    case 'accepted':
      if (!result.id) return WITHOUT_ID
      return omitUndefined({
        kind: 'accepted' as const,
        providerMessageId: result.id,
        noDeliveryReports: hasReports ? undefined : (true as const),
      })
    case 'refused':
      return toRefused(result.answer, result.wait)
    case 'unsigned':
      return UNSIGNED
    case 'unsent':
      return { kind: 'deferred', ...toReason(result), retryAfter: NO_WAIT }
    case 'unknown':
      return { kind: 'unknown', ...toReason(result) }
  }
}

function toRefused(answer: SesAnswer, wait: Millis): SendOutcome {
  const error = withOriginalCode(toSesError(answer), originalCodeOf(answer))
  if (error.kind !== 'deferred') return error
  return { ...error, retryAfter: error.blame === 'account' ? millis(Math.max(wait, ACCOUNT_WAIT)) : wait }
}

const CODES: Partial<Record<HttpReason, string>> = { TIMEOUT: 'SES_TIMEOUT', ABORTED: 'ABORTED' }

const toReason = ({ reason }: HttpFailure) => ({
  code: CODES[reason] ?? 'NETWORK_ERROR',
  detail: describeReason(reason),
})
