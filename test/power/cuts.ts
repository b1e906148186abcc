/** Where the power is cut: after syncs and answers, where the most is promised with the least on disk, and in between. */
import { type Random, randomInteger } from '../support/random.ts'
import { pick, sample } from './choose.ts'
import { FATES, type FateName } from './fates.ts'
import type { Step } from './recording.ts'

/** After so many steps. `seed` decides what the fate leaves open. */
export type Cut = Readonly<{ at: number; fate: FateName; seed: number }>

export type CutPlan = Readonly<{
  /** So many syncs and answers, or all of them. */
  syncs: number | 'all'
  /** So many more before the first mark, where files are created, replayed and taken over; or all of them. */
  opening: number | 'all'
  between: number
  /** On so many of them a gateway is started. */
  starts: number
}>

const SEEDS = 2 ** 31

/** Each with the least that the disk may hold, and with another state. */
export function planCuts(steps: readonly Step[], { syncs, opening, between }: CutPlan, random: Random): readonly Cut[] {
  const critical = steps.flatMap((step, index) => (isCritical(step, steps[index + 1]) ? [index + 1] : []))
  const some = (all: readonly number[], count: number | 'all') => (count === 'all' ? all : sample(random, all, count))
  const early = critical.filter((at) => at <= firstMarkIn(steps))
  const chosen = [...some(early, opening), ...some(critical, syncs)]
  const others = Array.from({ length: between }, () => randomInteger(random, 0, steps.length))
  return [...new Set([...chosen, ...others])]
    .toSorted((one, other) => one - other)
    .flatMap((at) => [{ at, fate: 'least', seed: 0 }, anyOther(at, random)])
}

/** With more than the least. */
const anyOther = (at: number, random: Random): Cut => ({
  at,
  fate: pick(random, FATES.slice(1)),
  seed: randomInteger(random, 0, SEEDS),
})

/** As many as `between` before the first mark, where nothing was answered yet; each also as a kill would leave it. */
export function planOpeningCuts(steps: readonly Step[], { between }: CutPlan, random: Random): readonly Cut[] {
  return Array.from({ length: between }, () => randomInteger(random, 0, firstMarkIn(steps)))
    .toSorted((one, other) => one - other)
    .flatMap((at) => [{ at, fate: 'most', seed: 0 }, anyOther(at, random)])
}

const firstMarkIn = (steps: readonly Step[]): number => steps.findIndex(({ kind }) => kind === 'marked')

/** A sync has ended, or the last of several answers was given. */
const isCritical = (step: Step, next: Step | undefined): boolean =>
  step.kind === 'sync-ended' || (step.kind === 'marked' && next?.kind !== 'marked')
