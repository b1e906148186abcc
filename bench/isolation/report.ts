/** What one tenant costs another, in Markdown. */
import type { LoadReport } from '../load.ts'
import { type RunInfo, toNotes, toVerdictTable } from '../markdown.ts'
import { type Measured, medianBy } from '../measure.ts'
import { TARGET } from '../targets.ts'
import { ms, share, type Verdict, whole } from '../verdict.ts'
import type { Burning } from './burning.ts'
import type { Guessing } from './guessing.ts'
import type { Reading, Streaming } from './reading.ts'

export type IsolationResults = Omit<RunInfo, 'options'> &
  Readonly<{
    seconds: number
    burning?: Burning
    guessing?: Readonly<{ unknown: Guessing; own: Guessing }>
    reading?: Reading
    streaming?: Streaming
    codes?: Readonly<{ raw: readonly number[]; validating: readonly Measured[] }>
  }>

/** `usual` is × the same without the attack. */
const BAR = { healthMs: 50, usual: 2, generateMs: 1_000 }

export function toIsolationMarkdown(results: IsolationResults): string {
  const notes = [...toNotes(results), `${results.seconds} s for each load.`]
  return ['# What one tenant costs another', notes.join('\n'), toVerdictTable(toIsolationVerdicts(results))]
    .join('\n\n')
    .concat('\n')
}

export const toIsolationVerdicts = ({
  burning,
  guessing,
  reading,
  streaming,
  codes,
}: IsolationResults): readonly Verdict[] => [
  ...(burning === undefined ? [] : burningVerdicts(burning)),
  ...(guessing === undefined
    ? []
    : [
        ...guessingVerdicts('400 guesses at challenges that do not exist', guessing.unknown),
        ...guessingVerdicts('400 guesses at its own challenges', guessing.own),
      ]),
  ...(reading === undefined ? [] : readingVerdicts(reading)),
  ...(streaming === undefined ? [] : streamingVerdicts(streaming)),
  ...(codes === undefined ? [] : codeVerdicts(codes)),
]

type Pair = readonly [attacked: LoadReport, usual: LoadReport]

/** The median of the ratios within the rounds, because a p99 varies from one to the next. */
const ratioOf = (pairs: readonly Pair[]): number =>
  medianBy(
    pairs.map(([attacked, usual]) => attacked.latency.p99 / usual.latency.p99),
    Number,
  )

function comparedVerdict(part: string, what: string, pairs: readonly Pair[]): Verdict {
  const ratio = ratioOf(pairs)
  const each = pairs.map(([attacked, usual]) => `${ms(attacked.latency.p99)} of ${ms(usual.latency.p99)}`)
  return {
    part,
    what,
    measured: `${ratio.toFixed(2)} × its usual, the median of ${each.join(', ')}`,
    target: `≤ ${BAR.usual} × its usual`,
    met: ratio <= BAR.usual,
  }
}

/** The highest of the rounds. */
export const burningHealth = ({ rounds }: Burning): number =>
  Math.max(...rounds.map(({ attacked }) => attacked.health.latency.p99))

const burningPairs = ({ rounds }: Burning, name: 'text' | 'templated'): readonly Pair[] =>
  rounds.map(({ usual, attacked }): Pair => [attacked[name], usual[name]])

export const burningRatio = (burning: Burning): number => ratioOf(burningPairs(burning, 'text'))

function burningVerdicts(burning: Burning): readonly Verdict[] {
  const { rounds, previews, batchItems } = burning
  const part = 'templates'
  const compared = (name: 'text' | 'templated', what: string): Verdict =>
    comparedVerdict(part, `p99 of another tenant's send, ${what}`, burningPairs(burning, name))
  const usual = Math.max(...rounds.map((round) => round.usual.health.latency.p99))
  const health = burningHealth(burning)
  return [
    {
      part,
      what: `p99 of /health/live while 1,000 burning templates are posted and previewed`,
      measured: `at most ${ms(health)}, usually ${ms(usual)}`,
      target: `≤ ${BAR.healthMs} ms`,
      met: health <= BAR.healthMs,
    },
    compared('text', 'a text'),
    compared('templated', 'a short template'),
    { part, what: 'previews of the attacker', measured: list(previews) },
    { part, what: 'items of its finished batches', measured: list(batchItems) },
  ]
}

function guessingVerdicts(attack: string, { slowestMs, usualMs, generated, answers }: Guessing): readonly Verdict[] {
  const part = 'guesses'
  return [
    {
      part,
      what: `the slowest of ${generated} codes that another tenant generates beside ${attack}`,
      measured: `${ms(slowestMs)}, usually ${ms(usualMs)}`,
      target: `≤ ${whole(BAR.generateMs)} ms`,
      met: slowestMs <= BAR.generateMs,
    },
    { part, what: 'the answers to the guesses', measured: list(answers) },
  ]
}

const readingPairs = ({ rounds }: Reading): readonly Pair[] => rounds.map(({ usual, beside }): Pair => [beside, usual])

export const readingRatio = (reading: Reading): number => ratioOf(readingPairs(reading))

function readingVerdicts(reading: Reading): readonly Verdict[] {
  const part = 'reads'
  return [
    comparedVerdict(part, "p99 of another tenant's list beside 300 searches at once", readingPairs(reading)),
    { part, what: 'the answers to the searches', measured: list(reading.searches) },
  ]
}

function streamingVerdicts({ usualSeconds, besideSeconds, streams }: Streaming): readonly Verdict[] {
  const part = 'streams'
  const ratio = besideSeconds / usualSeconds
  return [
    {
      part,
      what: '3,000 messages of another tenant beside 1,000 attempts to open a stream',
      measured: `${besideSeconds.toFixed(2)} s = ${ratio.toFixed(2)} × its usual ${usualSeconds.toFixed(2)} s`,
      target: `≤ ${BAR.usual} × its usual`,
      met: ratio <= BAR.usual,
    },
    { part, what: 'the answers to the attempts', measured: list(streams) },
  ]
}

function codeVerdicts({ raw, validating }: NonNullable<IsolationResults['codes']>): readonly Verdict[] {
  const part = 'codes'
  if (raw.length === 0 || validating.length === 0) return []
  const compared = medianBy(raw, Number)
  const { messagesPerSecond: rate } = medianBy(validating, ({ messagesPerSecond }) => messagesPerSecond)
  return [{ part, what: 'one-time codes validated', ...share(rate, compared, 'bcrypt alone', TARGET.codes) }]
}

const list = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${whole(count)} × ${name}`)
    .join(', ') || 'none'
