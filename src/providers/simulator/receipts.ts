/**
 * Delivers the simulator's receipts: collects those that are due, reports them, and only then marks them as delivered.
 * Each callback has its own worker, so that an unreachable one does not delay the others, with one report at a time, so
 * that receipts which fall due meanwhile are batched.
 */
import type { AttemptId, AttemptRef, MessageId } from '../../domain/ids.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { Receipt } from '../../ports/provider.ts'
import type { Report } from './behaviour.ts'
import type { SimulatorLink } from './link.ts'
import { Alarm, pause, within } from './time.ts'
import { type Cell, type DeliveredThrough, FIRST_POSITION, RECEIPT_CELLS, type ReceiptPosition } from './wire.ts'

export type Reporter = (receipts: readonly Receipt[], callback: string) => Promise<void>

export type Reporting = Readonly<{
  /** A receipt for this callback will be due then. */
  schedule: (callback: string, dueAt: Instant) => void
  /** Waits a moment for reports in flight, and returns how far receipts are delivered. */
  stop: () => Promise<DeliveredThrough>
}>

type Deps = Readonly<{ link: SimulatorLink; clock: Clock; report: Reporter }>

/** The pause between two reports, which makes the batches larger. */
const BATCH_PAUSE = millis(10)
const STOP_TIMEOUT = seconds(1)

const backOff = (failures: number): Millis => millis(Math.min(100 * 2 ** failures, 5000))

export function startReporting(deps: Deps): Reporting {
  const stopping = new AbortController()
  const workers = new Map<string, CallbackWorker>()
  const workerOf = (callback: string): CallbackWorker => {
    const worker = workers.get(callback) ?? startWorker(deps, callback, stopping.signal)
    workers.set(callback, worker)
    return worker
  }
  for (const callback of deps.link.owed) workerOf(callback)
  return {
    schedule: (callback, dueAt) => workerOf(callback).alarm.set(dueAt),
    async stop() {
      stopping.abort()
      await within(STOP_TIMEOUT, Promise.all(workers.values().map(({ running }) => running)))
      return new Map(workers.entries().map(([callback, { delivered }]) => [callback, delivered()]))
    },
  }
}

type CallbackWorker = Readonly<{ alarm: Alarm; running: Promise<void>; delivered: () => ReceiptPosition }>

function startWorker({ link, clock, report }: Deps, callback: string, stopping: AbortSignal): CallbackWorker {
  const alarm = new Alarm(clock, stopping)
  let delivered = FIRST_POSITION

  async function reportDue(): Promise<void> {
    alarm.reset()
    const { cells, through, nextIn } = await link.call('collect', callback, clock(), delivered)
    if (cells.length === 0) {
      if (nextIn !== undefined) alarm.set(later(clock(), millis(nextIn)))
      return alarm.sleep()
    }
    await report(toReceipts(cells), callback)
    delivered = through
    if (nextIn !== 0) await pause(BATCH_PAUSE, stopping)
  }

  async function run(): Promise<void> {
    for (let failures = 0; !stopping.aborted; ) {
      try {
        await reportDue()
        failures = 0
      } catch {
        // They are not delivered, so they are collected again, however long it takes.
        await pause(backOff(failures++), stopping)
      }
    }
  }

  return { alarm, running: run(), delivered: () => delivered }
}

export const toProviderMessageId = (attemptId: string): string => `SIM${attemptId.slice(0, 24)}`

/** The report id identifies the attempt and the state, so a repeated report is recognised. */
export function toReceipt(ref: AttemptRef, attemptId: AttemptId, report: Report): Receipt {
  const providerMessageId = toProviderMessageId(attemptId)
  return { ref, providerMessageId, ...report, reportId: `${providerMessageId}:${report.state}` }
}

function toReceipts(cells: readonly Cell[]): readonly Receipt[] {
  const receipts: Receipt[] = []
  for (let at = 0; at < cells.length; at += RECEIPT_CELLS) {
    const ref = { messageId: cells[at] as MessageId, cycle: Number(cells[at + 1]), attempt: Number(cells[at + 2]) }
    receipts.push(toReceipt(ref, cells[at + 3] as AttemptId, toReport(cells, at + 4)))
  }
  return receipts
}

/** Most reports have no code, and then nothing else either. */
function toReport(cells: readonly Cell[], at: number): Report {
  const state = cells[at] as Report['state']
  const code = toText(cells[at + 1])
  if (code === undefined) return { state }
  const suppresses = toText(cells[at + 3]) as Report['suppresses']
  return omitUndefined({ state, code, detail: toText(cells[at + 2]), suppresses })
}

const toText = (cell: Cell | undefined): string | undefined => (typeof cell === 'string' ? cell : undefined)
