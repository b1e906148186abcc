/**
 * A provider, and the handset behind it, which keeps all it ever received: doubles show. It lives
 * outside: it does not die with our processes, and reports when it likes, in any order, twice, or never.
 */
import type { AttemptId, AttemptRef, ProviderName } from '../../src/domain/ids.ts'
import type { SendOutcome } from '../../src/domain/message/outcome.ts'
import { type Instant, millis, seconds } from '../../src/lib/time.ts'
import type { Attempt, LookupResult, Receipt } from '../../src/ports/provider.ts'
import type { Process } from './process.ts'
import { toReports } from './reports.ts'
import type { Simulation } from './simulation.ts'

/** What became of what was received, as the provider comes to know it. */
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
  /** Missing where the provider cannot be asked. */
  lookup?: (ref: AttemptRef, id: AttemptId) => Promise<LookupResult>
  outOfReach: SendOutcome
}>

export type CarrierOptions = Readonly<{
  name: ProviderName
  canBeAsked: boolean
  /** The handset: append-only, and shared by all carriers. */
  inbox: Reception[]
  /** Hands a receipt to our API, again and again until it is taken. */
  report: (receipt: Receipt) => void
}>

const OUT_OF_REACH: SendOutcome = { kind: 'deferred', code: 'REFUSED', detail: 'not connected', retryAfter: millis(0) }
const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'BROKEN', detail: 'the connection broke' }
const PAUSED = { kind: 'deferred', code: 'ACCOUNT_PAUSED', detail: 'not allowed to send', blame: 'account' } as const
const TIMED_OUT: SendOutcome = { kind: 'unknown', code: 'TIMEOUT', detail: 'no answer in time' }

export function openCarrier(sim: Simulation, options: CarrierOptions): Carrier {
  const { name, canBeAsked } = options
  return {
    name,
    outOfReach: OUT_OF_REACH,
    async send(attempt, signal, sender) {
      mustBeClaimed(sim, attempt, sender)
      const { received, outcome } = decide(sim, name, attempt)
      const answer = answerLater(sim, outcome, signal)
      if (received) receive(sim, options, { attempt, sender, answered: answer.isGiven })
      return await answer.promise
    },
    ...(canBeAsked ? { lookup: (ref, id) => lookUp(sim, options, ref, id) } : {}),
  }
}

/** Nobody may call a provider before the log says that he does. */
function mustBeClaimed(sim: Simulation, { ref }: Attempt, { name }: Process): void {
  const claim = (sim.written.get(ref.messageId) ?? []).find(
    ({ fact, cycle, attempt }) =>
      fact.kind === 'HandoffAttempted' && fact.owner === name && cycle === ref.cycle && attempt === ref.attempt,
  )
  if (claim === undefined) sim.violated(`${name} sends ${ref.messageId}/${ref.cycle}/${ref.attempt} without a claim`)
}

type Decision = Readonly<{ received: boolean; outcome: SendOutcome | undefined }>

function decide({ chance, tally, weather }: Simulation, name: ProviderName, { id }: Attempt): Decision {
  if (chance.happens(weather.rejected)) {
    const blame = chance.pick(['message', 'provider'] as const)
    tally.count(blame === 'message' ? 'rejected for the message' : 'rejected by the provider')
    return { received: false, outcome: { kind: 'rejected', blame, code: 'NO', detail: 'the provider said no' } }
  }
  if (chance.happens(weather.deferred)) {
    tally.count('deferred')
    const retryAfter = seconds(chance.pick([0, 0, 20]))
    return { received: false, outcome: { kind: 'deferred', code: 'BUSY', detail: 'not now', retryAfter } }
  }
  if (chance.happens(weather.serverError)) {
    tally.count('answered 5xx')
    const retryAfter = seconds(chance.pick([0, 0, 20, 600, 999_999_999]))
    return { received: false, outcome: { kind: 'deferred', code: 'HTTP_503', detail: 'out of order', retryAfter } }
  }
  if (chance.happens(weather.accountPaused)) {
    tally.count('account paused')
    const retryAfter = seconds(chance.pick([0, 600]))
    return { received: false, outcome: { ...PAUSED, retryAfter } }
  }
  if (!chance.happens(weather.unknown)) {
    return { received: true, outcome: { kind: 'accepted', providerMessageId: toProviderMessageId(name, id) } }
  }
  const received = chance.happens(0.5)
  tally.count(received ? 'unknown and received' : 'unknown and not received')
  return { received, outcome: chance.happens(0.5) ? UNKNOWN : undefined }
}

/** An answer that takes too long, or never comes, is a time-out; what was received is received all the same. */
function answerLater(
  { agenda, chance, tally, isCalm }: Simulation,
  outcome: SendOutcome | undefined,
  signal: AbortSignal,
) {
  const { promise, resolve } = Promise.withResolvers<SendOutcome>()
  let given = false
  const give = (answer: SendOutcome): void => {
    given = true
    resolve(answer)
  }
  const slow = !isCalm && chance.happens(0.2)
  if (outcome !== undefined) agenda.after(chance.between(1, slow ? 7_000 : 300), () => give(outcome))
  signal.addEventListener('abort', () => {
    if (!given) tally.count('call timed out')
    give(TIMED_OUT)
  })
  return { promise, isGiven: () => given }
}

type Receiving = Readonly<{ attempt: Attempt; sender: Process; answered: () => boolean }>

function receive(sim: Simulation, options: CarrierOptions, { attempt, sender, answered }: Receiving): void {
  const { name, inbox, report } = options
  const { id, ref } = attempt
  const reports = toReports(sim, (state, number) => {
    if (!answered()) sim.tally.count('receipt before the answer')
    if (!sender.isAlive) sim.tally.count('receipt after a crash')
    sim.note(`${name} reports ${ref.messageId.slice(0, 4)}/${ref.attempt} ${state} (${number})`)
    report(toReceipt(name, ref, id, state))
  })
  sim.note(`${name} delivers ${ref.messageId.slice(0, 4)}/${ref.cycle}/${ref.attempt} to the handset`)
  inbox.push({ provider: name, providerMessageId: toProviderMessageId(name, id), id, ref, reports })
}

async function lookUp(
  { agenda, chance, tally, weather }: Simulation,
  { name, inbox }: CarrierOptions,
  ref: AttemptRef,
  id: AttemptId,
): Promise<LookupResult> {
  if (chance.happens(weather.undetermined)) {
    tally.count('lookup undetermined')
    return { kind: 'undetermined' }
  }
  const found = inbox.find((reception) => reception.id === id && reception.provider === name)
  tally.count(found === undefined ? 'lookup absent' : 'lookup found')
  if (found === undefined) return { kind: 'absent' }
  const state = stateAt(found, agenda.now)
  return { kind: 'found', receipt: toReceipt(name, ref, id, state) }
}

/** What the provider knows by then. */
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
