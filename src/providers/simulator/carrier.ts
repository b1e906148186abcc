/**
 * The simulated carrier: receives attempts as the magic recipients prescribe, stores them and their pending receipts in
 * its own file, and reports. simulator.ts runs it in process, server.ts over HTTP.
 */
import type { AttemptId } from '../../domain/ids.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { LookupResult } from '../../ports/provider.ts'
import type { Dice } from '../../ports/world.ts'
import { Absences } from './absences.ts'
import {
  type Behaviour,
  behaviourOf,
  type Pace,
  type Reception,
  reportAfter,
  reportsAfter,
  waitBefore,
} from './behaviour.ts'
import type { Handover } from './handover.ts'
import { SimulatorLink } from './link.ts'
import { type ReceivedMail, toMailRow, toReceivedMail, toRow } from './mail.ts'
import { type Reporter, type Reporting, startReporting, toProviderMessageId, toReceipt } from './receipts.ts'
import { pause, unlessAborted } from './time.ts'
import type { DuplicateCounts, InboxItem, InboxQuery, MailQuery, Written } from './wire.ts'

export type CarrierOptions = Readonly<{
  /** The simulator's own file. */
  path: string
  clock: Clock
  /** Delivers receipts; if it throws, they are reported again. */
  report: Reporter
  /** The share of calls, from 0 to 1, that fail. */
  errorRate?: number
  dice?: Dice
  /** Locks the file against other processes. */
  alone?: boolean
}> &
  Partial<Pace>

export type Carrier = AsyncDisposable &
  Readonly<{
    send: (handover: Handover, signal: AbortSignal) => Promise<SendOutcome>
    lookup: (id: AttemptId) => Promise<LookupResult>
    /** What a tenant's handsets and mailboxes received, newest first, duplicates included. */
    inbox: (query: InboxQuery) => Promise<readonly InboxItem[]>
    /** One received mail; undefined if the tenant has none with that attempt. */
    mail: (query: MailQuery) => Promise<ReceivedMail | undefined>
    /** `late` counts the attempts that arrived after a lookup had reported them as absent; they are not received. */
    countDuplicates: () => Promise<DuplicateCounts & Readonly<{ late: number }>>
    isOpen: () => boolean
  }>

const UNAVAILABLE = 'SIMULATOR_UNAVAILABLE'
const deferred = (code: string, detail: string): Extract<SendOutcome, { kind: 'deferred' }> => ({
  kind: 'deferred',
  code,
  detail,
  retryAfter: millis(0),
})
const ABORTED = deferred('ABORTED', 'the call was aborted before the message was received')
const OUT_OF_SERVICE = deferred('SERVICE_UNAVAILABLE', 'the simulated provider is out of service')
const OUT_OF_REACH: SendOutcome = {
  ...deferred('SERVICE_UNAVAILABLE', 'the simulated recipient is out of service'),
  blame: 'recipient',
}
const TOO_LATE = deferred('TOO_LATE', 'an earlier lookup reported this attempt as absent')
const EXPIRED: SendOutcome = {
  kind: 'rejected',
  blame: 'message',
  code: 'EXPIRED',
  detail: 'the validity period ended before the message was received',
}
const TIMED_OUT: SendOutcome = { kind: 'unknown', code: 'TIMEOUT', detail: 'the simulated provider did not answer' }
const ABORTED_WRITE: Written = { kind: 'unknown', detail: 'the call was aborted while the message was being received' }

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
  const world: World = { options, pace, link, reporting, closing: closing.signal, inProgress: new Set(), absences }

  return {
    send: (handover, signal) => send(world, handover, signal),
    lookup: (id) => lookup(world, id),
    inbox: (query) => link.call('inbox', query),
    mail: async (query) => {
      const stored = await link.call('mail', query)
      return stored && toReceivedMail(stored)
    },
    countDuplicates: async () => ({ ...(await link.call('countDuplicates')), late: absences.violations }),
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
  /** Attempts whose call has not been decided yet. */
  inProgress: Set<AttemptId>
  absences: Absences
}>

function send(world: World, handover: Handover, signal: AbortSignal): Promise<SendOutcome> {
  const behaviour = behaviourOf(handover.to, handover.ref.attempt)
  const wait = waitBefore(behaviour, world.pace)
  return wait > 0 ? answerAfter(wait, world, handover, behaviour, signal) : answer(world, handover, behaviour, signal)
}

async function answerAfter(
  wait: Millis,
  world: World,
  handover: Handover,
  behaviour: Behaviour,
  signal: AbortSignal,
): Promise<SendOutcome> {
  await waitInProgress(world, handover.id, wait, signal)
  return answer(world, handover, behaviour, signal)
}

function answer(world: World, handover: Handover, behaviour: Behaviour, signal: AbortSignal): Promise<SendOutcome> {
  const { errorRate = 0, dice = Math.random } = world.options
  if (isAborted(world, signal)) return Promise.resolve(ABORTED)
  if (errorRate > 0 && dice() < errorRate) return Promise.resolve(OUT_OF_SERVICE)
  switch (behaviour.kind) {
    case 'refuse':
      return Promise.resolve(toRejected(behaviour))
    case 'fail':
      return Promise.resolve(OUT_OF_REACH)
    case 'receive':
      return receive(world, handover, behaviour, signal)
  }
}

const toRejected = ({ code, detail }: Extract<Behaviour, { kind: 'refuse' }>): SendOutcome => ({
  kind: 'rejected',
  blame: 'message',
  code,
  detail,
})

const isAborted = ({ closing }: World, signal: AbortSignal): boolean => signal.aborted || closing.aborted

async function waitInProgress(
  { inProgress, closing }: World,
  id: AttemptId,
  wait: Millis,
  signal: AbortSignal,
): Promise<void> {
  inProgress.add(id)
  await pause(wait, AbortSignal.any([signal, closing]))
  inProgress.delete(id)
}

async function receive(
  world: World,
  handover: Handover,
  behaviour: Reception,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { link, reporting, pace, options } = world
  // Composing a mail takes time, so the checks below come after it.
  const composed = handover.channel === 'email' ? await toMailRow(handover, options.clock()) : handover
  if ('raw' in composed && isAborted(world, signal)) return ABORTED
  const now = options.clock()
  if (handover.expiresAt !== undefined && handover.expiresAt <= now) return EXPIRED
  if (world.absences.refuses(handover.id)) return TOO_LATE

  if (behaviour.reports.length > 0) reporting.schedule(handover.callback, later(now, reportsAfter(behaviour, pace)))
  const receiving = await link.receive('raw' in composed ? composed : toRow(composed, now))
  const written = receiving.kind === 'late' ? await unlessAborted(receiving.written, signal, ABORTED_WRITE) : receiving
  switch (written.kind) {
    case 'refused':
      return deferred(UNAVAILABLE, written.detail)
    case 'unknown':
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

/** A failure does not matter: the same report is also due later. */
async function reportEarly(world: World, { ref, id, callback }: Handover, { early }: Reception, signal: AbortSignal) {
  const receipts = early.map((report) => toReceipt(ref, id, report))
  const reported = world.options.report(receipts, callback).catch(() => undefined)
  await unlessAborted(reported, AbortSignal.any([signal, world.closing]), undefined)
}

async function lookup(world: World, id: AttemptId): Promise<LookupResult> {
  const { inProgress, absences, link, options, pace } = world
  // Its call is still in progress and may yet be received.
  if (inProgress.has(id)) return { kind: 'undetermined' }
  // Before the search: an attempt that arrives from now on is refused, an earlier one is found.
  absences.add(id)
  const found = await link.call('find', id).catch(() => 'unavailable' as const)
  if (found === undefined) return { kind: 'absent' }
  absences.remove(id)
  if (found === 'unavailable') return { kind: 'undetermined' }

  const behaviour = behaviourOf(found.to, found.ref.attempt)
  if (behaviour.kind !== 'receive') return { kind: 'undetermined' }
  const report = reportAfter(behaviour, options.clock() - found.receivedAt, pace)
  return { kind: 'found', receipt: toReceipt(found.ref, id, report) }
}
