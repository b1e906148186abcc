/**
 * A provider and the handset behind it, which records everything it receives, including duplicates. It survives
 * crashes of our processes, and sends receipts at any time, in any order, twice, or never.
 */
import type { AttemptId, AttemptRef, ProviderName } from '../../src/domain/ids.ts'
import type { SendOutcome } from '../../src/domain/message/outcome.ts'
import { type Instant, millis, seconds } from '../../src/lib/time.ts'
import type { Attempt, LookupResult, Receipt } from '../../src/ports/provider.ts'
import type { Process } from './process.ts'
import { toReports } from './reports.ts'
import type { Simulation } from './simulation.ts'

/** A delivery state, and when the provider learns of it. */
export type Report = Readonly<{ state: Receipt['state']; at: Instant }>
export type Reception = Readonly<{
  provider: ProviderName
  providerMessageId: string
  id: AttemptId
  ref: AttemptRef
  reports: readonly Report[]
}>

export type Carrier = Readonly<{
  name: ProviderName
  send: (attempt: Attempt, signal: AbortSignal, sender: Process) => Promise<SendOutcome>
  /** Missing if the provider has no lookup. */
  lookup?: (ref: AttemptRef, id: AttemptId) => Promise<LookupResult>
  refused: SendOutcome
}>

export type CarrierOptions = Readonly<{
  name: ProviderName
  supportsLookup: boolean
  /** The handset: append-only, and shared by all carriers. */
  inbox: Reception[]
  /** Sends a receipt to our API until it is acknowledged. */
  report: (receipt: Receipt) => void
}>

const OUT_OF_REACH: SendOutcome = { kind: 'deferred', code: 'REFUSED', detail: 'not connected', retryAfter: millis(0) }
const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'BROKEN', detail: 'the connection broke' }
const PAUSED = { kind: 'deferred', code: 'ACCOUNT_PAUSED', detail: 'not allowed to send', blame: 'account' } as const
const TIMED_OUT: SendOutcome = { kind: 'unknown', code: 'TIMEOUT', detail: 'no answer in time' }

export function openCarrier(sim: Simulation, options: CarrierOptions): Carrier {
  const { name, supportsLookup } = options
  return {
    name,
    refused: OUT_OF_REACH,
    async send(attempt, signal, sender) {
      checkClaimed(sim, attempt, sender)
      const { received, outcome } = drawOutcome(sim, name, attempt)
      const answer = answerLater(sim, outcome, signal)
      if (received) receive(sim, options, { attempt, sender, answered: answer.isGiven })
      return await answer.promise
    },
    ...(supportsLookup ? { lookup: (ref, id) => lookUp(sim, options, ref, id) } : {}),
  }
}

/** A process must have appended its claim before it calls a provider. */
function checkClaimed(sim: Simulation, { ref }: Attempt, { name }: Process): void {
  const claim = (sim.written.get(ref.messageId) ?? []).find(
    ({ fact, cycle, attempt }) =>
      fact.kind === 'HandoffAttempted' && fact.owner === name && cycle === ref.cycle && attempt === ref.attempt,
  )
  if (claim === undefined)
    sim.reportViolation(`${name} sends ${ref.messageId}/${ref.cycle}/${ref.attempt} without a claim`)
}

type Decision = Readonly<{ received: boolean; outcome: SendOutcome | undefined }>

function drawOutcome({ random, counters, faultRates }: Simulation, name: ProviderName, { id }: Attempt): Decision {
  if (random.happens(faultRates.rejected)) {
    const blame = random.pick(['message', 'provider'] as const)
    counters.count(blame === 'message' ? 'rejected for the message' : 'rejected by the provider')
    return { received: false, outcome: { kind: 'rejected', blame, code: 'NO', detail: 'rejected' } }
  }
  if (random.happens(faultRates.deferred)) {
    counters.count('deferred')
    const retryAfter = seconds(random.pick([0, 0, 20]))
    return { received: false, outcome: { kind: 'deferred', code: 'BUSY', detail: 'not now', retryAfter } }
  }
  if (random.happens(faultRates.serverError)) {
    counters.count('answered 5xx')
    const retryAfter = seconds(random.pick([0, 0, 20, 600, 999_999_999]))
    return { received: false, outcome: { kind: 'deferred', code: 'HTTP_503', detail: 'out of order', retryAfter } }
  }
  if (random.happens(faultRates.accountPaused)) {
    counters.count('account paused')
    const retryAfter = seconds(random.pick([0, 600]))
    return { received: false, outcome: { ...PAUSED, retryAfter } }
  }
  if (!random.happens(faultRates.unknown)) {
    return { received: true, outcome: { kind: 'accepted', providerMessageId: toProviderMessageId(name, id) } }
  }
  const received = random.happens(0.5)
  counters.count(received ? 'unknown and received' : 'unknown and not received')
  return { received, outcome: random.happens(0.5) ? UNKNOWN : undefined }
}

/** A late or missing answer is a timeout; the handset has received the message all the same. */
function answerLater(
  { scheduler, random, counters, isFaultFree }: Simulation,
  outcome: SendOutcome | undefined,
  signal: AbortSignal,
) {
  const { promise, resolve } = Promise.withResolvers<SendOutcome>()
  let given = false
  const give = (answer: SendOutcome): void => {
    given = true
    resolve(answer)
  }
  const slow = !isFaultFree && random.happens(0.2)
  if (outcome !== undefined) scheduler.after(random.integer(1, slow ? 7_000 : 300), () => give(outcome))
  signal.addEventListener('abort', () => {
    if (!given) counters.count('call timed out')
    give(TIMED_OUT)
  })
  return { promise, isGiven: () => given }
}

type ReceivedAttempt = Readonly<{ attempt: Attempt; sender: Process; answered: () => boolean }>

function receive(sim: Simulation, options: CarrierOptions, { attempt, sender, answered }: ReceivedAttempt): void {
  const { name, inbox, report } = options
  const { id, ref } = attempt
  const reports = toReports(sim, (state, number) => {
    if (!answered()) sim.counters.count('receipt before the answer')
    if (!sender.isAlive) sim.counters.count('receipt after a crash')
    sim.note(`${name} reports ${ref.messageId.slice(0, 4)}/${ref.attempt} ${state} (${number})`)
    report(toReceipt(name, ref, id, state))
  })
  sim.note(`${name} delivers ${ref.messageId.slice(0, 4)}/${ref.cycle}/${ref.attempt} to the handset`)
  inbox.push({ provider: name, providerMessageId: toProviderMessageId(name, id), id, ref, reports })
}

async function lookUp(
  { scheduler, random, counters, faultRates }: Simulation,
  { name, inbox }: CarrierOptions,
  ref: AttemptRef,
  id: AttemptId,
): Promise<LookupResult> {
  if (random.happens(faultRates.undetermined)) {
    counters.count('lookup undetermined')
    return { kind: 'undetermined' }
  }
  const found = inbox.find((reception) => reception.id === id && reception.provider === name)
  counters.count(found === undefined ? 'lookup absent' : 'lookup found')
  if (found === undefined) return { kind: 'absent' }
  const state = stateAt(found, scheduler.now)
  return { kind: 'found', receipt: toReceipt(name, ref, id, state) }
}

/** The state that the provider knows at this time. */
const stateAt = ({ reports }: Reception, now: Instant): Receipt['state'] =>
  reports.findLast(({ at }) => at <= now)?.state ?? 'accepted'

const toProviderMessageId = (name: ProviderName, id: AttemptId): string => `${name}-${id.slice(0, 12)}`

function toReceipt(name: ProviderName, ref: AttemptRef, id: AttemptId, state: Receipt['state']): Receipt {
  const providerMessageId = toProviderMessageId(name, id)
  const isBad = state === 'bounced' || state === 'dropped'
  return {
    ref,
    providerMessageId,
    state,
    reportId: `${providerMessageId}:${state}`,
    ...(isBad ? { code: 'UNREACHABLE', detail: 'the handset is off' } : {}),
  }
}
