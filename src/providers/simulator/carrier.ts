/**
 * The simulated carrier: takes attempts as the magic recipients have it, keeps what it received and
 * owes in a file of its own, and reports. Whoever opens it decides how attempts reach it and where
 * its reports go: simulator.ts within our process, simulator-server.ts over HTTP.
 */
import type { AttemptId, AttemptRef, TenantId } from '../../domain/ids.ts'
import type { SendOutcome } from '../../domain/outcome.ts'
import { type Instant, later, type Millis, millis, seconds } from '../../domain/time.ts'
import type { LookupResult } from '../../ports/provider.ts'
import type { Clock, Dice } from '../../ports/world.ts'
import { Absences } from './absences.ts'
import { behaviourOf, type Pace, type Reception, reportAfter, reportsAfter, waitBefore } from './behaviour.ts'
import { SimulatorLink } from './link.ts'
import { type Reporter, type Reporting, startReporting, toProviderMessageId, toReceipt } from './receipts.ts'
import { pause, unlessAborted } from './time.ts'
import type { Cell, Doubles, InboxItem, InboxQuery, Written } from './wire.ts'

export type CarrierOptions = Readonly<{
  /** The simulator's own file. */
  path: string
  clock: Clock
  /** Takes receipts; while it throws they stay owed and are reported again. */
  report: Reporter
  /** The share of calls, 0 to 1, that fail for a while. */
  errorRate?: number
  dice?: Dice
  /** Keeps everybody else from opening the file. */
  alone?: boolean
}> &
  Partial<Pace>

/** An attempt as it reaches the carrier. `callback` is where its receipts go. */
export type Handover = Readonly<{
  id: AttemptId
  ref: AttemptRef
  tenantId: TenantId
  to: string
  from?: string
  body: string
  expiresAt?: Instant
  callback: string
}>

export type Carrier = AsyncDisposable &
  Readonly<{
    send: (handover: Handover, signal: AbortSignal) => Promise<SendOutcome>
    lookup: (id: AttemptId) => Promise<LookupResult>
    /** What a tenant's handsets or mailboxes really received, newest first, as often as they received it. */
    inbox: (query: InboxQuery) => Promise<readonly InboxItem[]>
    /** `late` counts the attempts that came after their absence was told, and were not received. */
    doubles: () => Promise<Doubles & Readonly<{ late: number }>>
    isOpen: () => boolean
  }>

const UNAVAILABLE = 'SIMULATOR_UNAVAILABLE'
const deferred = (code: string, detail: string): Extract<SendOutcome, { kind: 'deferred' }> => ({
  kind: 'deferred',
  code,
  detail,
  retryAfter: millis(0),
})
const ABORTED = deferred('ABORTED', 'the call was given up before the message was received')
const OUT_OF_SERVICE = deferred('SERVICE_UNAVAILABLE', 'the simulated provider is out of service')
const OUT_OF_REACH: SendOutcome = {
  ...deferred('SERVICE_UNAVAILABLE', 'the simulated recipient is out of service'),
  blame: 'recipient',
}
const TOO_LATE = deferred('TOO_LATE', 'it was told before that this attempt never came')
const EXPIRED: SendOutcome = {
  kind: 'rejected',
  blame: 'message',
  code: 'EXPIRED',
  detail: 'the validity period ended before the message was received',
}
const TIMED_OUT: SendOutcome = { kind: 'unknown', code: 'TIMEOUT', detail: 'the simulated provider did not answer' }
const GIVEN_UP: Written = { kind: 'doubtful', detail: 'the call was given up while the message was being received' }

const PACE: Pace = { latency: millis(0), receiptDelay: millis(150), slow: seconds(5), limbo: seconds(1) }

export async function openCarrier(options: CarrierOptions): Promise<Carrier> {
  const { path, clock, report, alone = false } = options
  const pace: Pace = {
    latency: options.latency ?? PACE.latency,
    receiptDelay: options.receiptDelay ?? PACE.receiptDelay,
    slow: options.slow ?? PACE.slow,
    limbo: options.limbo ?? PACE.limbo,
  }
  const link = await SimulatorLink.open({ path, pace, alone })
  const reporting = startReporting({ link, clock, report })
  const closing = new AbortController()
  const absences = new Absences()
  const world: World = { options, pace, link, reporting, closing: closing.signal, calling: new Set(), absences }

  return {
    send: (handover, signal) => send(world, handover, signal),
    lookup: (id) => lookup(world, id),
    inbox: (query) => link.ask({ kind: 'inbox', query }),
    doubles: async () => ({ ...(await link.ask({ kind: 'doubles' })), late: absences.broken }),
    isOpen: () => link.isOpen,
    async [Symbol.asyncDispose]() {
      closing.abort()
      await link.close(await reporting.stop())
    },
  }
}

type World = Readonly<{
  options: CarrierOptions
  pace: Pace
  link: SimulatorLink
  reporting: Reporting
  closing: AbortSignal
  /** Attempts whose call has not yet come to the point of being received or not. */
  calling: Set<AttemptId>
  absences: Absences
}>

async function send(world: World, handover: Handover, signal: AbortSignal): Promise<SendOutcome> {
  const behaviour = behaviourOf(handover.to, handover.ref.attempt)
  const { errorRate = 0, dice = Math.random } = world.options
  const wait = waitBefore(behaviour, world.pace)

  if (wait > 0) await underWay(world, handover.id, wait, signal)
  if (signal.aborted || world.closing.aborted) return ABORTED
  if (errorRate > 0 && dice() < errorRate) return OUT_OF_SERVICE
  switch (behaviour.kind) {
    case 'refuse':
      return { kind: 'rejected', blame: 'message', code: behaviour.code, detail: behaviour.detail }
    case 'fail':
      return OUT_OF_REACH
    case 'receive':
      return receive(world, handover, behaviour, signal)
  }
}

async function underWay({ calling, closing }: World, id: AttemptId, wait: Millis, signal: AbortSignal): Promise<void> {
  calling.add(id)
  await pause(wait, AbortSignal.any([signal, closing]))
  calling.delete(id)
}

async function receive(
  world: World,
  handover: Handover,
  behaviour: Reception,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { link, reporting, pace } = world
  const now = world.options.clock()
  if (handover.expiresAt !== undefined && handover.expiresAt <= now) return EXPIRED
  if (world.absences.forbid(handover.id)) return TOO_LATE

  if (behaviour.reports.length > 0) reporting.expect(handover.callback, later(now, reportsAfter(behaviour, pace)))
  const receiving = await link.receive(toRow(handover, now))
  const written = receiving.kind === 'late' ? await unlessAborted(receiving.written, signal, GIVEN_UP) : receiving
  switch (written.kind) {
    case 'refused':
      return deferred(UNAVAILABLE, written.detail)
    case 'doubtful':
      return { kind: 'unknown', code: UNAVAILABLE, detail: written.detail }
    case 'written':
      break
  }
  if (behaviour.call === 'limbo') return timeOut(world, signal)
  if (behaviour.early.length > 0) await reportEarly(world, handover, behaviour, signal)
  return { kind: 'accepted', providerMessageId: toProviderMessageId(handover.id) }
}

async function timeOut({ pace, closing }: World, signal: AbortSignal): Promise<SendOutcome> {
  await pause(pace.limbo, AbortSignal.any([signal, closing]))
  return TIMED_OUT
}

/** Its failure does not matter: what is reported early is owed as well, and comes again. */
async function reportEarly(world: World, { ref, id, callback }: Handover, { early }: Reception, signal: AbortSignal) {
  const receipts = early.map((report) => toReceipt(ref, id, report))
  const reported = world.options.report(receipts, callback).catch(() => undefined)
  await unlessAborted(reported, AbortSignal.any([signal, world.closing]), undefined)
}

async function lookup(world: World, id: AttemptId): Promise<LookupResult> {
  const { calling, absences, link, options, pace } = world
  // Its call is still under way, and may yet be received.
  if (calling.has(id)) return { kind: 'undetermined' }
  // Before it is asked for: what comes from now on comes too late, what came before will be found.
  absences.tell(id)
  const found = await link.ask({ kind: 'find', attemptId: id }).catch(() => 'unavailable' as const)
  if (found === undefined) return { kind: 'absent' }
  absences.takeBack(id)
  if (found === 'unavailable') return { kind: 'undetermined' }

  const behaviour = behaviourOf(found.to, found.ref.attempt)
  if (behaviour.kind !== 'receive') return { kind: 'undetermined' }
  const report = reportAfter(behaviour, options.clock() - found.receivedAt, pace)
  return { kind: 'found', receipt: toReceipt(found.ref, id, report) }
}

const toRow = ({ id, ref, tenantId, to, from, body, callback }: Handover, now: Instant): readonly Cell[] => [
  tenantId,
  to,
  from ?? null,
  body,
  id,
  ref.messageId,
  ref.cycle,
  ref.attempt,
  now,
  callback,
]
