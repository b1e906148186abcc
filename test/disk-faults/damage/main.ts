/** Damages every page of every file, opens the files and asks everything: `npm run damage -- --flips 4`. */
import { parseArgs } from 'node:util'
import { openScratch } from '../../power/scratch.ts'
import { isLikeTorn } from './damages.ts'
import { type Judged, sweep } from './sweep.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    /** Flipped bits in each page. */
    flips: { type: 'string', default: '4' },
    /** As if the files were too large to be read whole at the start. */
    large: { type: 'boolean', default: false },
  },
})

const counts = new Map<string, number>()

function count({ damage, verdict: { outcome, what } }: Judged): void {
  const { file, owner } = damage.extent
  const isFault = outcome === 'wrong' || outcome === 'unnamed'
  const line = isLikeTorn(damage)
    ? `${file}: as a power cut may leave it: ${outcome}`
    : `${file}: ${owner}: ${outcome}${isFault ? ` after ${damage.kind}: ${what.join()}` : ''}`
  counts.set(line, (counts.get(line) ?? 0) + 1)
}

using scratch = openScratch()
const [seed, flips] = [Number(values.seed), Number(values.flips)]
for await (const judged of sweep({ scratch: scratch.path, seed, flips, every: 1, isLarge: values.large })) count(judged)
for (const [line, times] of [...counts].toSorted()) console.log(`${times} × ${line}`)
