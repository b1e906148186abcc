/**
 * Pays the receipts the simulator owes: collects what is due, reports it, and only then lets it be
 * forgotten. Each callback is paid by itself, so that one which is away holds up no other; and with
 * one report at a time, so receipts that fall due meanwhile go together in the next.
 */
import type { AttemptId, AttemptRef, MessageId } from '../../domain/ids.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { Receipt } from '../../ports/provider.ts'
import type { Report } from './behaviour.ts'
import type { SimulatorLink } from './link.ts'
import { Alarm, pause, within } from './time.ts'
import { type Cell, NOWHERE, type Place, RECEIPT_CELLS, type Settled } from './wire.ts'

export type Reporter = (receipts: readonly Receipt[], callback: string) => Promise<void>

export type Reporting = Readonly<{
  /** A receipt will be due to this callback then. */
  expect: (callback: string, dueAt: Instant) => void
  /** Ends after the reports in hand, or leaves them when they take too long; tells how far receipts are settled. */
  stop: () => Promise<Settled>
}>

type Deps = Readonly<{ link: SimulatorLink; clock: Clock; report: Reporter }>

/** Between two reports, so that they are of many receipts and not of a few. */
const BREATH = millis(10)
const FAREWELL = seconds(1)

const backOff = (failures: number): Millis => millis(Math.min(100 * 2 ** failures, 5000))

export function startReporting(deps: Deps): Reporting {
  const stopping = new AbortController()
  const payers = new Map<string, Payer>()
  const payerOf = (callback: string): Payer => {
    const payer = payers.get(callback) ?? startPaying(deps, callback, stopping.signal)
    payers.set(callback, payer)
    return payer
  }
  for (const callback of deps.link.owed) payerOf(callback)
  return {
    expect: (callback, dueAt) => payerOf(callback).alarm.set(dueAt),
    async stop() {
      stopping.abort()
      await within(FAREWELL, Promise.all(payers.values().map(({ running }) => running)))
      return new Map(payers.entries().map(([callback, { settled }]) => [callback, settled()]))
    },
  }
}

type Payer = Readonly<{ alarm: Alarm; running: Promise<void>; settled: () => Place }>

function startPaying({ link, clock, report }: Deps, callback: string, stopping: AbortSignal): Payer {
  const alarm = new Alarm(clock, stopping)
  let settled = NOWHERE

  async function turn(): Promise<void> {
    alarm.reset()
    const { cells, through, nextIn } = await link.ask({ kind: 'collect', callback, now: clock(), settled })
    if (cells.length === 0) {
      if (nextIn !== undefined) alarm.set(later(clock(), millis(nextIn)))
      return alarm.sleep()
    }
    await report(toReceipts(cells), callback)
    settled = through
    if (nextIn !== 0) await pause(BREATH, stopping)
  }

  async function run(): Promise<void> {
    for (let failures = 0; !stopping.aborted; ) {
      try {
        await turn()
        failures = 0
      } catch {
        // They are still owed, and are collected again however long it takes.
        await pause(backOff(failures++), stopping)
      }
    }
  }

  return { alarm, running: run(), settled: () => settled }
}

export const toProviderMessageId = (attemptId: string): string => `SIM${attemptId.slice(0, 24)}`

/** The same report of the same attempt has the same id, however often it is made. */
export function toReceipt(ref: AttemptRef, attemptId: AttemptId, report: Report): Receipt {
  const providerMessageId = toProviderMessageId(attemptId)
  return { ref, providerMessageId, ...report, reportId: `${providerMessageId}:${report.state}` }
}

function toReceipts(cells: readonly Cell[]): readonly Receipt[] {
  const receipts: Receipt[] = []
  for (let at = 0; at < cells.length; at += RECEIPT_CELLS) {
    const [messageId, cycle, attempt, attemptId, ...report] = cells.slice(at, at + RECEIPT_CELLS)
    const ref = { messageId: messageId as MessageId, cycle: Number(cycle), attempt: Number(attempt) }
    receipts.push(toReceipt(ref, attemptId as AttemptId, toReport(report)))
  }
  return receipts
}

const toReport = ([state, code, detail, suppresses]: readonly Cell[]): Report => ({
  state: state as Report['state'],
  ...optional('code', code),
  ...optional('detail', detail),
  ...(optional('suppresses', suppresses) as Pick<Report, 'suppresses'>),
})

const optional = <Key extends 'code' | 'detail' | 'suppresses'>(key: Key, cell: Cell | undefined) =>
  (typeof cell === 'string' ? { [key]: cell } : {}) as Partial<Record<Key, string>>
