/**
 * A provider reports on an attempt. Reports may come doubled, out of order, before the answer to
 * the call they belong to, or after a newer cycle has begun; the log sorts it out.
 */
import { type EmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import type { Fact, ProviderFact } from '../../domain/message/events.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import { isUnresolved, type MessageState } from '../../domain/message/state.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import type { Loaded, Recorded } from '../../ports/event-log.ts'
import type { Receipt } from '../../ports/provider.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import { advance, type RecordDeps, toSeen } from '../record.ts'
import { type RefuseLateDeps, refuseLate } from './refuse-late.ts'
import { addressesOf, suppress } from './suppress.ts'

/** `suppressions` is where those are noted who get no more mail, where there is such a list. */
export type ApplyReceiptDeps = RefuseLateDeps & Readonly<{ suppressions?: Pick<Suppressions, 'add'> }>

/** What is said of a message that the provider has. */
type News = Receipt & Readonly<{ state: Exclude<Receipt['state'], 'refused'> }>

const FACT = {
  accepted: 'ProviderAccepted',
  delivered: 'ProviderDelivered',
  dropped: 'ProviderDropped',
  bounced: 'ProviderBounced',
  complaint: 'ProviderComplaint',
} as const satisfies Record<News['state'], ProviderFact['kind']>

/** Whether the report found its message. */
export type Applied = 'settled' | 'unmatched'

export async function applyReceipt(
  deps: ApplyReceiptDeps,
  receipt: Receipt,
  by: 'receipt' | 'lookup' = 'receipt',
): Promise<Applied> {
  const isOfMail = receipt.about !== undefined || receipt.suppresses !== undefined
  const { messageId } = receipt.ref
  const latest: Loaded | undefined = await (isOfMail ? deps.log.load(messageId) : deps.log.latest(messageId))
  if (latest === undefined || !(await wasMade(deps, latest.event.state, receipt))) return 'unmatched'
  if (receipt.unauthenticated === true && wasRefused(latest.event.state, receipt)) return 'unmatched'
  const { state } = receipt
  if (state === 'refused') {
    await refuseLate(deps, latest, receipt)
    return 'settled'
  }
  const mail = latest.content?.channel === 'email' ? latest.content : undefined
  const isOfCopy = receipt.copy ?? isAboutCopy(receipt, mail)
  await tell(deps, latest, { ...receipt, state }, { by, isOfCopy })
  await believe(deps, latest, receipt, mail)
  return 'settled'
}

/** Whether there was such an attempt: a report on one that was never made, signed or not, changes nothing. */
async function wasMade({ log }: RecordDeps, state: MessageState, { ref }: Receipt): Promise<boolean> {
  const { cycle, attempt, phase } = state
  if (ref.cycle === cycle && ref.attempt === attempt && phase !== 'none') return true
  // What this process remembers may be behind, so the log itself is asked.
  const events = await log.read(ref.messageId)
  return events.some(
    ({ event }) => event.fact.kind === 'HandoffAttempted' && event.cycle === ref.cycle && event.attempt === ref.attempt,
  )
}

/** Whether the provider said that it did not take the attempt: only one that signs its reports may correct that. */
const wasRefused = ({ cycle, attempt, phase, handoffState }: MessageState, { ref }: Receipt): boolean =>
  phase === 'closed' && !isHandoffOver(handoffState) && ref.cycle === cycle && ref.attempt === attempt

/**
 * A mail that one person got may come back from where that person had it forwarded to. After erasure nobody knows
 * whom it was for, and nothing becomes of it without authentication.
 */
function isAboutCopy({ about, unauthenticated }: Receipt, mail: EmailContent | undefined): boolean {
  if (about === undefined) return false
  if (mail === undefined) return unauthenticated === true
  return addressesOf(mail).length > 1 && !isSameBox(about, mail.to)
}

/** After erasure nobody knows whom a mail was for; a provider that signs its reports does. */
async function believe(
  { suppressions, clock }: ApplyReceiptDeps,
  { event }: Recorded,
  { about, suppresses: reason, unauthenticated }: Receipt,
  mail: EmailContent | undefined,
): Promise<void> {
  const address = about ?? mail?.to
  if (suppressions === undefined || address === undefined || reason === undefined) return
  const isTheirs =
    mail === undefined ? unauthenticated !== true : addressesOf(mail).some((one) => isSameBox(one, address))
  const { id: messageId, tenantId } = event.state
  if (isTheirs) await suppress({ suppressions, clock }, { tenantId, address, reason, messageId })
}

const isSameBox = (one: EmailAddress, other: EmailAddress): boolean =>
  toComparableAddress(one) === toComparableAddress(other)

type Manner = Readonly<{ by: 'receipt' | 'lookup'; isOfCopy: boolean }>

/** What becomes of a copy is not what becomes of the message, but proves that the provider has it. */
async function tell(deps: RecordDeps, latest: Recorded, receipt: News, { by, isOfCopy }: Manner): Promise<void> {
  const { ref, providerMessageId, noDeliveryReports: quiet } = receipt
  const accepted: Fact = {
    kind: 'HandoffAccepted',
    providerMessageId,
    by,
    ...(quiet === true ? { noDeliveryReports: quiet } : {}),
  }
  // Asked anew after each conflict: only a state that knows of the attempt shows what is proved.
  for (let seen = toSeen(latest), isTold = false; !isTold; ) {
    const advanced = await advance(deps, seen, (state) => {
      isTold = !isProof(state, receipt)
      if (!isTold) return { fact: accepted, ref }
      return isOfCopy ? undefined : { fact: toFact(receipt), ref }
    })
    seen = advanced.seen
  }
}

/**
 * While we are unsure of a cycle, a report on an attempt of it proves that the provider has the message;
 * save bad news of an earlier attempt, which the newest one may still make up for.
 */
const isProof = (known: MessageState, { ref, state }: News): boolean =>
  known.cycle === ref.cycle &&
  (!isHandoffOver(known.handoffState) || isUnresolved(known)) &&
  (known.attempt === ref.attempt || !BAD_NEWS.has(state))

const BAD_NEWS: ReadonlySet<News['state']> = new Set(['dropped', 'bounced'])

function toFact({ state, reportId, providerMessageId, code, detail }: News): ProviderFact {
  return {
    kind: FACT[state],
    reportId,
    providerMessageId,
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail }),
  }
}
