/** Damages files at many places, one at a time, and collects what comes of it. */
import { seededRandom } from '../../support/random.ts'
import { expectedOf, makeBase } from './base.ts'
import { type Damage, damage, planDamages } from './damages.ts'
import { extentsOf } from './pages.ts'
import { judge, type Verdict } from './verdict.ts'

export type Sweep = Readonly<{
  scratch: string
  seed: number
  /** Flipped bits in each page. */
  flips: number
  /** Only every so many of the damages. */
  every: number
  isLarge: boolean
}>

export type Judged = Readonly<{ damage: Damage; verdict: Verdict }>

const SIZE = { inTables: 60, inLog: 12, inJournal: 12 }

export async function* sweep({ scratch, seed, flips, every, isLarge }: Sweep): AsyncIterable<Judged> {
  const base = await makeBase(scratch, SIZE)
  const expected = await expectedOf(base, scratch)
  const planned = planDamages(extentsOf(base.files, scratch), flips, seededRandom(seed))
  for (const one of planned.filter((_, nth) => nth % every === 0)) {
    const files = damage(base.files, one)
    yield { damage: one, verdict: await judge({ scratch, files, samples: base.samples, expected, isLarge }) }
  }
}
