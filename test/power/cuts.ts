/** Where the power is cut: after syncs and answers, where the most is promised with the least on disk, and in between. */
import { type Random, randomInteger } from '../support/random.ts'
import { FATES, type FateName } from './fates.ts'
import type { Step } from './recording.ts'

/** After so many steps. `seed` decides what the fate leaves open. */
export type Cut = Readonly<{ at: number; fate: FateName; seed: number }>

export type CutPlan = Readonly<{
  /** So many syncs and answers, or all of them; all syncs before the first mark are added. */
  syncs: number | 'all'
  between: number
  /** On so many of them a gateway is started. */
  starts: number
}>

const SEEDS = 2 ** 31

/** Each with the least that the disk may hold, and with another state. */
export function planCuts(steps: readonly Step[], { syncs, between }: CutPlan, random: Random): readonly Cut[] {
  const firstMark = steps.findIndex(({ kind }) => kind === 'marked')
  const critical = steps.flatMap((step, index) => (isCritical(step, steps[index + 1]) ? [index + 1] : []))
  const opening = critical.filter((at) => at <= firstMark)
  const chosen = syncs === 'all' ? critical : sample(critical, syncs, random)
  const others = Array.from({ length: between }, () => randomInteger(random, 0, steps.length))
  return [...new Set([...opening, ...chosen, ...others])]
    .toSorted((one, other) => one - other)
    .flatMap((at) => [
      { at, fate: 'least', seed: 0 },
      { at, fate: FATES[randomInteger(random, 1, FATES.length - 1)] ?? 'most', seed: randomInteger(random, 0, SEEDS) },
    ])
}

/** A sync has ended, or the last of several answers was given. */
const isCritical = (step: Step, next: Step | undefined): boolean =>
  step.kind === 'sync-ended' || (step.kind === 'marked' && next?.kind !== 'marked')

function sample(all: readonly number[], count: number, random: Random): readonly number[] {
  const left = [...all]
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(randomInteger(random, 0, left.length - 1), 1),
  ).flat()
}
