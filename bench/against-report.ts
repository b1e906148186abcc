/** Two versions compared, in Markdown. */
import type { LoadReport } from './load.ts'
import { type RunInfo, toNotes, toTable, toWarnings } from './markdown.ts'
import { medianBy } from './measure.ts'
import { whole } from './verdict.ts'

/** Values by unit. */
export type Figures = Readonly<Record<string, number>>

/** What was measured of one version, and how well. */
export type Taken = Readonly<{ figures: Figures; loaded?: Readonly<{ load: LoadReport; othersCores: number }> }>
/** One round. */
export type Pair = Readonly<{ ours: Taken; theirs: Taken }>

type Part = Readonly<{
  name: string
  /** The ratio of the first figure that this version should reach. */
  target?: number
  rounds: readonly Pair[]
}>

export type AgainstResults = RunInfo &
  Readonly<{
    /** Commits. */
    versions: Readonly<{ ours: string; theirs: string }>
    parts: readonly Part[]
  }>

export function toAgainstMarkdown(results: AgainstResults): string {
  const { options, versions, parts } = results
  const taken = parts.flatMap(({ rounds }) => rounds.flatMap(({ ours, theirs }) => [ours, theirs]))
  const loads = taken.flatMap(({ loaded }) => (loaded === undefined ? [] : [loaded]))
  const notes = [
    ...toNotes(results),
    `Version ${versions.ours} beside ${versions.theirs}, in turns, ${options.runs} × ${options.seconds} s: medians, and the median of the ratios within the rounds.`,
    ...toWarnings(
      results,
      loads.map(({ load }) => load),
      loads,
    ),
  ]
  const head = ['', '', versions.ours, versions.theirs, 'ratio', 'in each round', 'target', '']
  return `# Compared with another version\n\n${notes.join('\n')}\n\n${toTable(head, parts.flatMap(toRows))}\n`
}

function toRows({ name, target, rounds }: Part): readonly (readonly string[])[] {
  const units = Object.keys(rounds[0]?.ours.figures ?? {})
  return units.map((unit, nth) => {
    const figureOf = ({ figures }: Taken): number => figures[unit] ?? Number.NaN
    const values = rounds.map(({ ours, theirs }) => [figureOf(ours), figureOf(theirs)] as const)
    const ratios = values.map(([ours, theirs]) => ours / theirs)
    const ratio = median(ratios)
    return [
      nth === 0 ? name : '',
      unit,
      whole(median(values.map(([ours]) => ours))),
      whole(median(values.map(([, theirs]) => theirs))),
      `${ratio.toFixed(2)} ×`,
      ratios.map((some) => some.toFixed(2)).join(', '),
      ...(nth > 0 || target === undefined ? ['', ''] : [`≥ ${target} ×`, ratio >= target ? '✅' : '❌']),
    ]
  })
}

const median = (numbers: readonly number[]): number => medianBy(numbers, Number)
