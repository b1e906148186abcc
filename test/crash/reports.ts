/** What a provider comes to know of a message it received, and which receipts it sends of that, and when. */
import { type Instant, instant } from '../../src/lib/time.ts'
import type { Receipt } from '../../src/ports/provider.ts'
import type { Simulation } from './simulation.ts'

type State = Receipt['state']

/** How it may go on; `accepted` alone means that nothing is ever known for certain. */
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

/** Plans the receipts; `send` is called when one is due. Answers what the provider knows, and from when on. */
export function toReports(
  sim: Simulation,
  send: (state: State, number: number) => void,
): readonly Readonly<{ state: State; at: Instant }>[] {
  const { agenda, chance, tally, weather } = sim
  let known: number = agenda.now
  const reports = toPath(sim).map((state) => {
    known += chance.between(0, chance.pick([50, 5_000]))
    return { state, at: instant(known) }
  })
  let newest = 0
  const due = (number: number, state: State): void => {
    sim.outstanding -= 1
    if (number < newest) tally.count('receipt out of order')
    newest = Math.max(newest, number)
    send(state, number)
  }
  for (const [number, { state, at }] of reports.entries()) {
    if (chance.happens(weather.receiptNever)) {
      tally.count('receipt never')
      continue
    }
    const copies = chance.happens(weather.receiptDoubled) ? 2 : 1
    if (copies > 1) tally.count('receipt doubled')
    for (let copy = 0; copy < copies; copy += 1) {
      sim.outstanding += 1
      agenda.after(at - agenda.now + underWay(sim), () => due(number, state))
    }
  }
  return reports
}

const toPath = ({ chance, isCalm }: Simulation): readonly State[] =>
  isCalm ? ['accepted', 'delivered'] : chance.pick(PATHS)

function underWay({ chance, tally, weather }: Simulation): number {
  if (!chance.happens(weather.receiptLate)) return chance.between(0, chance.pick([20, 3_000]))
  tally.count('receipt late')
  return chance.between(10_000, LATE_MS)
}
