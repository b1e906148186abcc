/**
 * Stores what a mail server says besides its answer in time: a late answer, and the copies that it refused. A refused
 * copy is not retried, because the other recipients would get the mail twice.
 */
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { EmailAttempt, Receipt } from '../../ports/provider.ts'
import { reasonOf } from '../../ports/unavailable.ts'
import type { ProviderContext } from '../kind.ts'
import { toSmtpError } from './errors.ts'
import { type RefusedCopy, type Result, toOutcome } from './outcome.ts'

type Deps = Pick<ProviderContext, 'report' | 'log'>
type AcceptedMail = Readonly<{ ref: EmailAttempt['ref']; providerMessageId: string }>

/** A late answer proves whether the server has the mail. `messageId` is our own Message-ID. */
export async function reportLate(deps: Deps, { ref }: EmailAttempt, result: Result, messageId: string): Promise<void> {
  const outcome = toOutcome(result, messageId)
  switch (outcome.kind) {
    case 'unknown':
      return
    case 'rejected':
    case 'deferred': {
      const { code, detail } = outcome
      await report(deps, { ref, providerMessageId: messageId, state: 'refused', reportId: 'refused', code, detail })
      return
    }
    case 'accepted': {
      const { providerMessageId } = outcome
      await report(deps, { ref, providerMessageId, state: 'accepted', reportId: 'accepted', noDeliveryReports: true })
      await reportCopies(deps, { ref, providerMessageId }, result)
    }
  }
}

/** Reports copies that were permanently refused, and logs those that lead to no suppression. */
export async function reportCopies(deps: Deps, mail: AcceptedMail, result: Result): Promise<void> {
  const refused = result.kind === 'accepted' ? (result.refusedCopies ?? []) : []
  const receipts = refused.flatMap((copy) => toReceipt(mail, copy) ?? [])
  await Promise.all(receipts.map((receipt) => report(deps, receipt)))
  const copies = refused.length - receipts.filter(({ suppresses }) => suppresses !== undefined).length
  if (copies > 0) deps.log('warn', 'smtp: copies of a mail refused, not retried', { copies })
}

/** Undefined if the copy was refused only temporarily. */
function toReceipt(mail: AcceptedMail, { index, address, reply }: RefusedCopy): Receipt | undefined {
  const error = toSmtpError(reply, 'rcpt')
  if (error.kind === 'deferred') return undefined
  const { code, detail, suppresses } = error
  return omitUndefined({
    ...mail,
    state: 'bounced' as const,
    // The index, because a report id must not contain an address.
    reportId: `copy ${index}`,
    code,
    detail,
    about: address,
    copy: true as const,
    suppresses,
    noDeliveryReports: true as const,
  })
}

const report = (deps: Deps, receipt: Receipt): Promise<void> =>
  deps.report(receipt).catch((error: unknown) => {
    deps.log('warn', 'smtp: report of the mail server could not be stored', { reason: reasonOf(error) })
  })
