/**
 * The simulator: a provider that plays the outside world, so that every path can be tried without an
 * account. The world does not die with our process: what was received, and the receipts owed for it,
 * live in a file of its own. It alone keeps content in the clear.
 */
import type { AttemptId, AttemptRef, ProviderName } from '../domain/ids.ts'
import type { SendOutcome } from '../domain/outcome.ts'
import { type Instant, later, type Millis, millis, seconds } from '../domain/time.ts'
import type { Attempt, LookupResult, Provider, Receipt } from '../ports/provider.ts'
import type { Clock, Dice } from '../ports/world.ts'
import { behaviourOf, type Pace, type Reception, reportAfter, reportsAfter, waitBefore } from './simulator-behaviour.ts'
import { SimulatorLink } from './simulator-link.ts'
import { type Reporting, startReporting, toProviderMessageId, toReceipt } from './simulator-receipts.ts'
import { pause, unlessAborted } from './simulator-time.ts'
import type { Cell, InboxItem, InboxQuery, Written } from './simulator-wire.ts'

export type SimulatorOptions = Readonly<{
  /** The simulator's own file. */
  path: string
  clock: Clock
  /** Takes receipts; while it throws they stay owed and are reported again. */
  report: (receipts: readonly Receipt[]) => Promise<void>
  name?: ProviderName
  /** The share of calls, 0 to 1, that fail for a while. */
  errorRate?: number
  dice?: Dice
}> &
  Partial<Pace>

export type Simulator = Provider &
  AsyncDisposable &
  Readonly<{
    lookup: NonNullable<Provider['lookup']>
    /** What a tenant's handsets or mailboxes really received, newest first, as often as they received it. */
    inbox: (query: InboxQuery) => Promise<readonly InboxItem[]>
  }>

const SIMULATOR = 'simulator' as ProviderName
const UNAVAILABLE = 'SIMULATOR_UNAVAILABLE'
const ABORTED: SendOutcome = {
  kind: 'deferred',
  code: 'ABORTED',
  detail: 'the call was given up before the message was received',
  retryAfter: millis(0),
}
const OUT_OF_SERVICE: SendOutcome = {
  kind: 'deferred',
  code: 'SERVICE_UNAVAILABLE',
  detail: 'the simulated provider is out of service',
  retryAfter: millis(0),
}
const EXPIRED: SendOutcome = {
  kind: 'rejected',
  blame: 'message',
  code: 'EXPIRED',
  detail: 'the validity period ended before the message was received',
}
const TIMED_OUT: SendOutcome = { kind: 'unknown', code: 'TIMEOUT', detail: 'the simulated provider did not answer' }
const GIVEN_UP: Written = { kind: 'doubtful', detail: 'the call was given up while the message was being received' }

const PACE: Pace = { latency: millis(0), receiptDelay: millis(150), slow: seconds(5), limbo: seconds(1) }

export async function openSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { path, clock, report, name = SIMULATOR } = options
  const pace: Pace = {
    latency: options.latency ?? PACE.latency,
    receiptDelay: options.receiptDelay ?? PACE.receiptDelay,
    slow: options.slow ?? PACE.slow,
    limbo: options.limbo ?? PACE.limbo,
  }
  const link = await SimulatorLink.open({ path, pace })
  const reporting = startReporting({ link, clock, report })
  const closing = new AbortController()
  const world: World = { options, pace, link, reporting, closing: closing.signal, calling: new Set() }

  return {
    name,
    channels: ['sms'],
    send: (attempt, signal) => send(world, attempt, signal),
    // It reports in process, so whoever calls from outside is not the simulator.
    readCallback: async () => 'forged',
    lookup: (ref, id) => lookup(world, ref, id),
    inbox: (query) => link.ask({ kind: 'inbox', query }),
    async [Symbol.asyncDispose]() {
      closing.abort()
      await link.close(await reporting.stop())
    },
  }
}

type World = Readonly<{
  options: SimulatorOptions
  pace: Pace
  link: SimulatorLink
  reporting: Reporting
  closing: AbortSignal
  /** Attempts whose call has not yet come to the point of being received or not. */
  calling: Set<AttemptId>
}>

async function send(world: World, attempt: Attempt, signal: AbortSignal): Promise<SendOutcome> {
  const behaviour = behaviourOf(attempt.content.to, attempt.ref.attempt)
  const { errorRate = 0, dice = Math.random } = world.options
  const wait = waitBefore(behaviour, world.pace)

  if (wait > 0) await underWay(world, attempt.id, wait, signal)
  if (signal.aborted || world.closing.aborted) return ABORTED
  if (errorRate > 0 && dice() < errorRate) return OUT_OF_SERVICE
  switch (behaviour.kind) {
    case 'refuse':
      return { kind: 'rejected', blame: 'message', code: behaviour.code, detail: behaviour.detail }
    case 'fail':
      return OUT_OF_SERVICE
    case 'receive':
      return receive(world, attempt, behaviour, signal)
  }
}

async function underWay({ calling, closing }: World, id: AttemptId, wait: Millis, signal: AbortSignal): Promise<void> {
  calling.add(id)
  await pause(wait, AbortSignal.any([signal, closing]))
  calling.delete(id)
}

async function receive(
  world: World,
  attempt: Attempt,
  behaviour: Reception,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { link, reporting, pace } = world
  const now = world.options.clock()
  if (attempt.expiresAt !== undefined && attempt.expiresAt <= now) return EXPIRED

  if (behaviour.reports.length > 0) reporting.expect(later(now, reportsAfter(behaviour, pace)))
  const receiving = await link.receive(toRow(attempt, now))
  const written = receiving.kind === 'late' ? await unlessAborted(receiving.written, signal, GIVEN_UP) : receiving
  switch (written.kind) {
    case 'refused':
      return { kind: 'deferred', code: UNAVAILABLE, detail: written.detail, retryAfter: millis(0) }
    case 'doubtful':
      return { kind: 'unknown', code: UNAVAILABLE, detail: written.detail }
    case 'written':
      break
  }
  if (behaviour.call === 'limbo') return timeOut(world, signal)
  if (behaviour.early.length > 0) await reportEarly(world, attempt, behaviour, signal)
  return { kind: 'accepted', providerMessageId: toProviderMessageId(attempt.id) }
}

async function timeOut({ pace, closing }: World, signal: AbortSignal): Promise<SendOutcome> {
  await pause(pace.limbo, AbortSignal.any([signal, closing]))
  return TIMED_OUT
}

/** Its failure does not matter: what is reported early is owed as well, and comes again. */
async function reportEarly(world: World, { ref, id }: Attempt, { early }: Reception, signal: AbortSignal) {
  const reported = world.options.report(early.map((report) => toReceipt(ref, id, report))).catch(() => undefined)
  await unlessAborted(reported, AbortSignal.any([signal, world.closing]), undefined)
}

async function lookup(world: World, ref: AttemptRef, id: AttemptId): Promise<LookupResult> {
  // Its call is still under way, and may yet be received.
  if (world.calling.has(id)) return { kind: 'undetermined' }
  const found = await world.link.ask({ kind: 'find', attemptId: id }).catch(() => 'unavailable' as const)
  if (found === 'unavailable') return { kind: 'undetermined' }
  if (found === undefined) return { kind: 'absent' }

  const behaviour = behaviourOf(found.to, ref.attempt)
  if (behaviour.kind !== 'receive') return { kind: 'undetermined' }
  const report = reportAfter(behaviour, world.options.clock() - found.receivedAt, world.pace)
  return { kind: 'found', receipt: toReceipt(ref, id, report) }
}

const toRow = ({ id, ref, tenantId, content }: Attempt, now: Instant): readonly Cell[] => [
  tenantId,
  content.to,
  content.from ?? null,
  content.body,
  id,
  ref.messageId,
  ref.cycle,
  ref.attempt,
  now,
]
