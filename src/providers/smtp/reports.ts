/**
 * What a mail server tells of a mail besides its answer, or too late for whoever asked: that it has the mail after
 * all or refuses it, and which copies it did not take. A copy cannot be sent again without the others getting the mail twice.
 */

import type { EmailAttempt, Receipt } from '../../ports/provider.ts'
import { reasonOf } from '../../ports/unavailable.ts'
import type { ProviderContext } from '../kind.ts'
import { toSmtpError } from './errors.ts'
import { type RefusedCopy, type Result, toOutcome } from './outcome.ts'

type Deps = Pick<ProviderContext, 'report' | 'tell'>
type Taken = Readonly<{ ref: EmailAttempt['ref']; providerMessageId: string }>

/**
 * An answer that came too late for the caller proves that the server has the mail, or that it has not. `own` is the
 * Message-ID we gave it.
 */
export async function reportLate(deps: Deps, { ref }: EmailAttempt, result: Result, own: string): Promise<void> {
  const outcome = toOutcome(result, own)
  switch (outcome.kind) {
    case 'unknown':
      return
    case 'rejected':
    case 'deferred': {
      const { code, detail } = outcome
      await report(deps, { ref, providerMessageId: own, state: 'refused', reportId: 'refused', code, detail })
      return
    }
    case 'accepted': {
      const { providerMessageId } = outcome
      await report(deps, { ref, providerMessageId, state: 'accepted', reportId: 'accepted', noDeliveryReports: true })
      await reportCopies(deps, { ref, providerMessageId }, result)
    }
  }
}

/** Of copies that were refused for good; of those that nobody will remember the operator is told. */
export async function reportCopies(deps: Deps, taken: Taken, result: Result): Promise<void> {
  const refused = result.kind === 'taken' ? (result.refused ?? []) : []
  const receipts = refused.flatMap((copy) => toReceipt(taken, copy) ?? [])
  await Promise.all(receipts.map((receipt) => report(deps, receipt)))
  const copies = refused.length - receipts.filter(({ suppresses }) => suppresses !== undefined).length
  if (copies > 0) deps.tell('warn', 'copies of a mail were not taken, and are not sent again', { copies })
}

/** Undefined for one that was only refused for now. */
function toReceipt(taken: Taken, { place, about, reply }: RefusedCopy): Receipt | undefined {
  const error = toSmtpError(reply, 'rcpt')
  if (error.kind === 'deferred') return undefined
  const { code, detail, suppresses } = error
  return {
    ...taken,
    state: 'bounced',
    // By its place: an address has no business in the name of a report.
    reportId: `copy ${place}`,
    code,
    detail,
    about,
    copy: true,
    ...(suppresses === undefined ? {} : { suppresses }),
    noDeliveryReports: true,
  }
}

const report = (deps: Deps, receipt: Receipt): Promise<void> =>
  deps.report(receipt).catch((error: unknown) => {
    deps.tell('warn', 'what the mail server told of a mail could not be stored', { reason: reasonOf(error) })
  })
