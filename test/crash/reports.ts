/** Plans the delivery states of a received message, and the receipts that the provider sends. */
import { type Instant, instant } from '../../src/lib/time.ts'
import type { Receipt } from '../../src/ports/provider.ts'
import type { Simulation } from './simulation.ts'

type State = Receipt['state']

/** The possible sequences; `accepted` alone means that the provider never learns the result. */
const PATHS: readonly (readonly State[])[] = [
  ['accepted', 'delivered'],
  ['accepted', 'delivered'],
  ['delivered'],
  ['delivered'],
  ['delivered'],
  ['accepted', 'dropped'],
  ['bounced'],
  ['delivered', 'complaint'],
  ['accepted', 'delivered', 'bounced'],
  ['accepted'],
]

const LATE_MS = 4 * 60_000

/** Calls `send` when a receipt is due. Returns the states with the time at which the provider learns of them. */
export function toReports(
  sim: Simulation,
  send: (state: State, number: number) => void,
): readonly Readonly<{ state: State; at: Instant }>[] {
  const { scheduler, random, counters, faultRates } = sim
  let known: number = scheduler.now
  const reports = toPath(sim).map((state) => {
    known += random.integer(0, random.pick([50, 5_000]))
    return { state, at: instant(known) }
  })
  let newest = 0
  const due = (number: number, state: State): void => {
    sim.pending -= 1
    if (number < newest) counters.count('receipt out of order')
    newest = Math.max(newest, number)
    send(state, number)
  }
  for (const [number, { state, at }] of reports.entries()) {
    if (random.happens(faultRates.receiptNever)) {
      counters.count('receipt never')
      continue
    }
    const copies = random.happens(faultRates.receiptDoubled) ? 2 : 1
    if (copies > 1) counters.count('receipt duplicated')
    for (let copy = 0; copy < copies; copy += 1) {
      sim.pending += 1
      scheduler.after(at - scheduler.now + receiptDelay(sim), () => due(number, state))
    }
  }
  return reports
}

const toPath = ({ random, isFaultFree }: Simulation): readonly State[] =>
  isFaultFree ? ['accepted', 'delivered'] : random.pick(PATHS)

function receiptDelay({ random, counters, faultRates }: Simulation): number {
  if (!random.happens(faultRates.receiptLate)) return random.integer(0, random.pick([20, 3_000]))
  counters.count('receipt late')
  return random.integer(10_000, LATE_MS)
}
