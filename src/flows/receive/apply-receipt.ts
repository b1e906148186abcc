/**
 * Applies a provider's report on an attempt. Reports may come twice, out of order, before the response to the call they
 * belong to, or after a newer cycle has begun; the log puts them in order.
 */
import { type EmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import type { ProviderName } from '../../domain/ids.ts'
import type { Fact, ProviderFact } from '../../domain/message/events.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import { isUnresolved, type MessageState } from '../../domain/message/state.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import { RETRY } from '../../domain/routing/retry.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Soon } from '../../lib/soon.ts'
import type { Loaded, Revised } from '../../ports/event-log.ts'
import type { Receipt } from '../../ports/provider.ts'
import type { Applied } from '../../ports/receipt-forwarding.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import { advance, type Decision, type RecordDeps, type Seen, toSeen } from '../record.ts'
import { type Reason, retry } from '../send/decide.ts'
import { type Routes, retryPolicyFor } from '../send/find-route.ts'
import { addressesOf, suppress } from './suppress.ts'

/** Without `routes`, the retry policy is the default of the channel; without `suppressions`, no address is suppressed. */
export type ApplyReceiptDeps = RecordDeps & Readonly<{ routes?: Routes; suppressions?: Pick<Suppressions, 'add'> }>

/** A report on a message that the provider has. */
type Report = Receipt & Readonly<{ state: Exclude<Receipt['state'], 'refused'> }>

const FACT = {
  accepted: 'ProviderAccepted',
  delivered: 'ProviderDelivered',
  dropped: 'ProviderDropped',
  bounced: 'ProviderBounced',
  complaint: 'ProviderComplaint',
} as const satisfies Record<Report['state'], ProviderFact['kind']>

export async function applyReceipt(
  deps: ApplyReceiptDeps,
  receipt: Receipt,
  by: 'receipt' | 'lookup' = 'receipt',
): Promise<Applied> {
  const reading = recallFor(deps, receipt) ?? readFor(deps, receipt)
  const latest = reading instanceof Promise ? await reading : reading
  if (latest === undefined) return 'unmatched'
  const current = latest.event.state
  const isKnown = isOnNewest(current, receipt) ? isFrom(receipt, current.provider) : await wasMade(deps, receipt)
  if (!isKnown) return 'unmatched'
  if (receipt.unauthenticated === true && wasRefused(current, receipt)) return 'unmatched'
  if (!isReport(receipt)) {
    await refuseLate(deps, latest, receipt)
    return 'applied'
  }
  const email = latest.content?.channel === 'email' ? latest.content : undefined
  const isOfCopy = receipt.copy ?? isAboutCopy(receipt, email)
  await recordReport(deps, toSeen(latest), receipt, { by, isOfCopy })
  if (receipt.suppresses !== undefined) await suppressReported(deps, latest, receipt, email)
  return 'applied'
}

/** Whether the report needs nothing but the state of the message, and changes it whichever state that is. */
export const isDecidedByState = (receipt: Receipt): boolean => isReport(receipt) && !needsContent(receipt)

const needsContent = ({ about, suppresses }: Receipt): boolean => about !== undefined || suppresses !== undefined

/**
 * What this process remembers of the message, if that is enough: a state that is no longer the newest makes the append
 * fail, and the report is then applied to the newest one.
 */
function recallFor({ log }: ApplyReceiptDeps, receipt: Receipt): Loaded | undefined {
  const known = isDecidedByState(receipt) && receipt.unauthenticated !== true && log.recall?.(receipt.ref.messageId)
  return known && isOnNewest(known.event.state, receipt) ? known : undefined
}

const readFor = ({ log }: ApplyReceiptDeps, receipt: Receipt): Soon<Loaded | undefined> =>
  needsContent(receipt) ? log.load(receipt.ref.messageId) : log.latest(receipt.ref.messageId)

const isReport = (receipt: Receipt): receipt is Report => receipt.state !== 'refused'

const isOnNewest = ({ cycle, attempt, phase }: MessageState, { ref }: Receipt): boolean =>
  ref.cycle === cycle && ref.attempt === attempt && phase !== 'none'

/** A provider's callback says nothing about attempts of another one, whose account may be another tenant's. */
const isFrom = (receipt: Receipt, provider: ProviderName | undefined): boolean =>
  receipt.provider === undefined || receipt.provider === provider

/** Whether the attempt exists: a report on one that was never made changes nothing, signed or not. */
async function wasMade({ log }: RecordDeps, receipt: Receipt): Promise<boolean> {
  const { ref } = receipt
  // The state may come from a cache that lags behind, so this reads the log itself.
  const events = await log.read(ref.messageId)
  return events.some(
    ({ event: { fact, cycle, attempt } }) =>
      fact.kind === 'HandoffAttempted' &&
      cycle === ref.cycle &&
      attempt === ref.attempt &&
      isFrom(receipt, fact.provider),
  )
}

/** Whether the provider did not take the attempt by its own response: only an authenticated report may correct that. */
const wasRefused = ({ cycle, attempt, phase, handoffState }: MessageState, { ref }: Receipt): boolean =>
  phase === 'closed' && !isHandoffOver(handoffState) && ref.cycle === cycle && ref.attempt === attempt

/** Late refusals are spread over time already, so retries need no further jitter. */
const NO_JITTER = 0.5

/**
 * The provider refuses an attempt after we stopped waiting for its response. That decides an unknown outcome: the
 * provider does not have the message. It counts only while the outcome of that very attempt is unknown.
 */
async function refuseLate(deps: ApplyReceiptDeps, latest: Revised, receipt: Receipt): Promise<void> {
  const { ref, code = 'NOT_RECEIVED', detail = 'the provider says that it did not take the attempt' } = receipt
  await advance(deps, toSeen(latest), (state) =>
    state.phase === 'unknown' && state.cycle === ref.cycle && state.attempt === ref.attempt
      ? decideRefused(deps, state, { code, detail })
      : undefined,
  )
}

/** A message that has failed as unresolved stays failed, now for a known reason. An erased one cannot be sent again. */
function decideRefused({ clock, routes }: ApplyReceiptDeps, state: MessageState, reason: Reason): Decision {
  if (isUnresolved(state) || state.erased) {
    return { fact: { kind: 'HandoffFailed', code: reason.code, detail: reason.detail } }
  }
  const policy = routes === undefined ? RETRY[state.channel] : retryPolicyFor(routes, state)
  return retry({ clock, dice: () => NO_JITTER }, state, policy, reason)
}

/**
 * With one recipient, a report about another address is about the message: the recipient may have forwarded it. After
 * erasure the recipients are unknown, and an unauthenticated report about an address is ignored.
 */
function isAboutCopy({ about, unauthenticated }: Receipt, email: EmailContent | undefined): boolean {
  if (about === undefined) return false
  if (email === undefined) return unauthenticated === true
  return addressesOf(email).length > 1 && !isSameMailbox(about, email.to)
}

/** Suppresses only an address that the email went to. After erasure that is unknown, and only a signed report counts. */
async function suppressReported(
  { suppressions, clock }: ApplyReceiptDeps,
  { event }: Revised,
  { about, suppresses: reason, unauthenticated }: Receipt,
  email: EmailContent | undefined,
): Promise<void> {
  const address = about ?? email?.to
  if (suppressions === undefined || address === undefined || reason === undefined) return
  const isRecipient =
    email === undefined ? unauthenticated !== true : addressesOf(email).some((one) => isSameMailbox(one, address))
  const { id: messageId, tenantId } = event.state
  if (isRecipient) await suppress({ suppressions, clock }, { tenantId, address, reason, messageId })
}

const isSameMailbox = (one: EmailAddress, other: EmailAddress): boolean =>
  toComparableAddress(one) === toComparableAddress(other)

type ReportContext = Readonly<{ by: 'receipt' | 'lookup'; isOfCopy: boolean }>

/** A report on a copy does not change the message's status, but proves that the provider has the message. */
function recordReport(deps: RecordDeps, seen: Seen, report: Report, context: ReportContext): Promise<unknown> {
  const { ref, cause } = report
  let isAboutHandoff = false
  const advancing = advance(deps, seen, (state) => {
    // Decided again after each conflict: only a state that includes the attempt shows whether the report is proof.
    isAboutHandoff = isProof(state, report)
    if (isAboutHandoff) return { fact: toAccepted(report, context.by), ref, cause }
    return context.isOfCopy ? undefined : { fact: toFact(report), ref, cause }
  })
  return advancing.then((advanced) => (isAboutHandoff ? recordReport(deps, advanced.seen, report, context) : undefined))
}

/**
 * While the handoff of a cycle is undecided, a report on one of its attempts proves that the provider has the message.
 * Only a failure of an earlier attempt proves nothing: the newest attempt may still succeed.
 */
const isProof = (current: MessageState, { ref, state }: Report): boolean =>
  current.cycle === ref.cycle &&
  (!isHandoffOver(current.handoffState) || isUnresolved(current)) &&
  (current.attempt === ref.attempt || !FAILURES.has(state))

const FAILURES: ReadonlySet<Report['state']> = new Set(['dropped', 'bounced'])

const toAccepted = ({ providerMessageId, noDeliveryReports }: Report, by: ReportContext['by']): Fact => ({
  kind: 'HandoffAccepted',
  providerMessageId,
  by,
  ...(noDeliveryReports === true ? { noDeliveryReports } : {}),
})

/** Most reports have no code. */
function toFact({ state, reportId, providerMessageId, code, detail }: Report): ProviderFact {
  const kind = FACT[state]
  return code === undefined && detail === undefined
    ? { kind, reportId, providerMessageId }
    : omitUndefined({ kind, reportId, providerMessageId, code, detail })
}
