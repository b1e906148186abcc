/**
 * What became of a message of the past: the facts that a gateway with the demo's providers records, after the times that
 * these take (config.ts).
 */
import type { Happened } from '../bench/stored/past.ts'
import type { OperatorId, ProviderName, RouteId } from '../src/domain/ids.ts'
import type { Fact, ProviderFact } from '../src/domain/message/events.ts'
import { CHECKS } from '../src/domain/message/events.ts'
import type { Channel } from '../src/domain/message/message.ts'
import { type Instant, instant, millis, seconds } from '../src/lib/time.ts'
import type { Dice } from '../src/ports/world.ts'
import { CONFIG } from './config.ts'
import { chance, randomBelow } from './random.ts'

/** A message on its way: through this provider and route. */
export type Way = Readonly<{
  createdAt: Instant
  channel: Channel
  provider: string
  route: string
  operator?: string
  dice: Dice
}>

/** The next fact, so many milliseconds after the one before. A retry says when it is due. */
type Step = readonly [wait: number, fact: Fact | ((at: Instant) => Fact)]
export type Fate = (way: Way) => readonly Step[]

/** The process that made the attempts. */
const OWNER = '5eed0ada5eed0ada'
const ACCEPT_MS = 2
/** How far a call or a report is from its usual time. */
const SPREAD = 0.5
const TIMEOUT_MS = 1_000
const DELAYS_MS = [1_000, 2_000, 4_000]
const [IN_USE_MS, EXPIRY_MS] = [15_000, 300_000]

const PACE = new Map(CONFIG.providers.map(({ name, settings }) => [name as string, settings]))

function paceOf({ provider, dice }: Way): Readonly<{ call: number; report: number }> {
  const { latency_ms, receipt_delay_ms } = PACE.get(provider) ?? { latency_ms: 0, receipt_delay_ms: 0 }
  // A few take much longer.
  const factor = 1 + SPREAD * dice() + (chance(0.03, dice) ? 8 * dice() : 0)
  return { call: latency_ms * factor, report: receipt_delay_ms * factor }
}

/** Random, like an id of the simulator. */
const toProviderId = ({ dice }: Way): string =>
  `SIM${Array.from({ length: 24 }, () => randomBelow(16, dice).toString(16)).join('')}`

function called({ channel, provider, route, operator }: Way, wait = ACCEPT_MS): readonly Step[] {
  const attempted: Fact = {
    kind: 'HandoffAttempted',
    provider: provider as ProviderName,
    routeId: route as RouteId,
    owner: OWNER,
    ...(operator === undefined ? {} : { operatorId: operator as OperatorId }),
  }
  if (channel === 'sms') return [[wait, attempted]]
  return [
    [wait, { kind: 'MessageValidated', checks: CHECKS }],
    [0, attempted],
  ]
}

const accepted = (way: Way, providerMessageId: string): Step => [
  paceOf(way).call,
  { kind: 'HandoffAccepted', providerMessageId, by: 'answer' },
]

const reported = (
  way: Way,
  kind: ProviderFact['kind'],
  providerMessageId: string,
  reason: Readonly<{ code: string; detail: string }> | undefined = undefined,
): Step => {
  const reportId = `${providerMessageId}:${kind.replace('Provider', '').toLowerCase()}`
  return [paceOf(way).report, { kind, reportId, providerMessageId, ...reason }]
}

/** Handed over by an attempt that begins after `wait`, and delivered. */
function handedOver(way: Way, wait?: number): readonly Step[] {
  const id = toProviderId(way)
  return [...called(way, wait), accepted(way, id), reported(way, 'ProviderDelivered', id)]
}

export const delivered: Fate = (way) => handedOver(way)

const OUT_OF_SERVICE = { code: 'SERVICE_UNAVAILABLE', detail: 'the simulated provider is out of service' }
const OUT_OF_REACH = { code: 'SERVICE_UNAVAILABLE', detail: 'the simulated recipient is out of service' }

/** Attempts that fail, each followed by the wait for the next. */
function failures(way: Way, times: number, reason: typeof OUT_OF_SERVICE): readonly Step[] {
  return Array.from({ length: times }, (_, n): readonly Step[] => {
    const due = (at: Instant): Fact => ({ kind: 'RetryScheduled', dueAt: instant(at + delayAfter(n)), ...reason })
    return [...called(way, n === 0 ? ACCEPT_MS : delayAfter(n - 1)), [paceOf(way).call, due]]
  }).flat()
}

const delayAfter = (nth: number): number => DELAYS_MS[nth] ?? 0

/** Fails so many times, then succeeds. */
const flaky =
  (times: number, reason: typeof OUT_OF_SERVICE): Fate =>
  (way) => [...failures(way, times, reason), ...handedOver(way, delayAfter(times - 1))]

export const retried = flaky(1, OUT_OF_SERVICE)
export const outOfReach = flaky(2, OUT_OF_REACH)

/** Fails so many times, then goes through another provider. */
export const failedOver =
  (times: number, other: string): Fate =>
  (way) => [...failures(way, times, OUT_OF_SERVICE), ...handedOver({ ...way, provider: other }, delayAfter(times - 1))]

/** Fails three times, and is given up. */
const dead =
  (reason: typeof OUT_OF_SERVICE): Fate =>
  (way) => [
    ...failures(way, 2, reason),
    ...called(way, delayAfter(1)),
    [paceOf(way).call, { kind: 'DeadLettered', ...reason }],
  ]

export const outOfService = dead(OUT_OF_SERVICE)
export const neverReached = dead(OUT_OF_REACH)

export const refused =
  (code: string, detail: string): Fate =>
  (way) => [...called(way), [paceOf(way).call, { kind: 'HandoffFailed', code, detail }]]

/** The provider takes it, and reports that it did not arrive. */
export const bounced =
  (code: string): Fate =>
  (way) => {
    const id = toProviderId(way)
    const detail = 'the simulated recipient bounces every message'
    return [...called(way), accepted(way, id), reported(way, 'ProviderBounced', id, { code, detail })]
  }

export const complained: Fate = (way) => {
  const id = toProviderId(way)
  const reason = { code: 'COMPLAINT', detail: 'the simulated recipient complains about every email' }
  const taken = [...called(way), accepted(way, id), reported(way, 'ProviderDelivered', id)]
  return [...taken, reported(way, 'ProviderComplaint', id, reason)]
}

/** The call times out; the delivery report says that the provider had it. */
export const limbo: Fate = (way) => {
  const id = toProviderId(way)
  const timedOut = { code: 'TIMEOUT', detail: 'the simulated provider did not answer' }
  return [
    ...called(way),
    [TIMEOUT_MS, (at) => ({ kind: 'HandoffUnknown', reconcileAt: instant(at + seconds(8)), ...timedOut })],
    [4 * paceOf(way).report, { kind: 'HandoffAccepted', providerMessageId: id, by: 'receipt' }],
    [0, { kind: 'ProviderDelivered', reportId: `${id}:delivered`, providerMessageId: id }],
  ]
}

/** Its deadline passes before the next attempt. */
export const expired: Fate = (way) => [...called(way), [paceOf(way).call, { kind: 'MessageExpired' }]]

/** A code that was delivered; its text is erased when it has been used, or when it expires. */
export const usedCode: Fate = (way) => [
  ...handedOver(way),
  [chance(0.8, way.dice) ? IN_USE_MS * (1 + 2 * way.dice()) : EXPIRY_MS, { kind: 'MessageErased', kept: 'recipient' }],
]

/** The facts with their times after the creation. */
export function happenedOn(way: Way, fate: Fate): readonly Happened[] {
  let after = 0
  return fate(way).map(([wait, fact]) => {
    after += Math.round(wait)
    const at = instant(way.createdAt + after)
    return { fact: typeof fact === 'function' ? fact(at) : fact, after: millis(after) }
  })
}
