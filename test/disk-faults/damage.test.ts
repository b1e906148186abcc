/** Some damaged bytes; `npm run damage` tries every page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openScratch } from '../power/scratch.ts'
import { isLikeTorn } from './damage/damages.ts'
import { sweep } from './damage/sweep.ts'

/** What messages, contents and the journal answer, which have checksums. */
const CHECKED: ReadonlySet<string> = new Set(['order', 'timeline', 'content', 'idempotency', 'queue'])

test('damaged bytes are refused with the name of the file, and nothing is answered from them', async () => {
  using scratch = openScratch()
  const found = new Map<string, number>()
  for await (const { damage, verdict } of sweep({
    scratch: scratch.path,
    seed: 1,
    flips: 1,
    every: 4,
    isLarge: false,
  })) {
    const { outcome, what } = verdict
    found.set(outcome, (found.get(outcome) ?? 0) + 1)
    if (isLikeTorn(damage)) continue
    const { file, owner } = damage.extent
    const story = `${damage.kind} of ${owner} in ${file}: ${outcome}: ${what.join()}`
    if (outcome === 'wrong') assert(!what.some((kind) => CHECKED.has(kind)), story)
    else assert(outcome === 'right' || outcome === 'refused' || outcome === 'error', story)
  }
  assert((found.get('refused') ?? 0) > 10 && (found.get('right') ?? 0) > 10, JSON.stringify([...found]))
})
