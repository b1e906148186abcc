/**
 * The simulated carrier: takes attempts as the magic recipients have it, keeps what it received and
 * owes in a file of its own, and reports. Whoever opens it decides how attempts reach it and where
 * its reports go: simulator.ts within our process, simulator-server.ts over HTTP.
 */
import type { AttemptId } from '../../domain/ids.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { LookupResult } from '../../ports/provider.ts'
import type { Dice } from '../../ports/world.ts'
import { Absences } from './absences.ts'
import { behaviourOf, type Pace, type Reception, reportAfter, reportsAfter, waitBefore } from './behaviour.ts'
import type { Handover } from './handover.ts'
import { SimulatorLink } from './link.ts'
import { type ReceivedMail, toMailRow, toReceivedMail, toRow } from './mail.ts'
import { type Reporter, type Reporting, startReporting, toProviderMessageId, toReceipt } from './receipts.ts'
import { pause, unlessAborted } from './time.ts'
import type { Doubles, InboxItem, InboxQuery, MailQuery, Written } from './wire.ts'

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

export type Carrier = AsyncDisposable &
  Readonly<{
    send: (handover: Handover, signal: AbortSignal) => Promise<SendOutcome>
    lookup: (id: AttemptId) => Promise<LookupResult>
    /** What a tenant's handsets or mailboxes really received, newest first, as often as they received it. */
    inbox: (query: InboxQuery) => Promise<readonly InboxItem[]>
    /** One of the mails among them, as it arrived; undefined where the tenant has none of that attempt. */
    mail: (query: MailQuery) => Promise<ReceivedMail | undefined>
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
    mail: async (query) => {
      const kept = await link.ask({ kind: 'mail', query })
      return kept && toReceivedMail(kept)
    },
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
  if (isOver(world, signal)) return ABORTED
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

const isOver = ({ closing }: World, signal: AbortSignal): boolean => signal.aborted || closing.aborted

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
  const { link, reporting, pace, options } = world
  // A mail takes its time to be made, and what is asked below must still hold when it is received.
  const carried = handover.channel === 'email' ? await toMailRow(handover, options.clock()) : handover
  if ('raw' in carried && isOver(world, signal)) return ABORTED
  const now = options.clock()
  if (handover.expiresAt !== undefined && handover.expiresAt <= now) return EXPIRED
  if (world.absences.forbid(handover.id)) return TOO_LATE

  if (behaviour.reports.length > 0) reporting.expect(handover.callback, later(now, reportsAfter(behaviour, pace)))
  const receiving = await link.receive('raw' in carried ? carried : toRow(carried, now))
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
