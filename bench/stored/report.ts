/** What storing many messages costs, in Markdown: a column for each size, and ratios to the smallest. */
import { type RunInfo, toNotes, toTable } from '../markdown.ts'
import { ms, whole } from '../verdict.ts'
import type { Answered } from './questions.ts'

export type Stored = Readonly<{
  messages: number
  filledPerSecond: number
  bytesPerMessage: number
  /** From the start of the process until it is ready: after a clean stop, and after `kill -9` under load. */
  readySeconds: number
  readyAfterKillSeconds: number
  acceptPerSecond: number
  endToEndPerSecond: number
  /** After the start, and after all questions and the load. */
  rssMb: number
  rssAfterMb: number
  answers: readonly Answered[]
}>

export type StoredResults = Omit<RunInfo, 'options'> & Readonly<{ sizes: readonly Stored[] }>

const MAX_BYTES = 1_500

export function toStoredMarkdown(results: StoredResults): string {
  const { sizes } = results
  const head = ['', ...sizes.map(({ messages }) => `${whole(messages)} messages`)]
  const note =
    'Short SMS, almost all delivered, spread over the last 30 days. In brackets the ratio to the smallest number of messages.'
  const disk = `Bytes per message should be at most ${whole(MAX_BYTES)}: ${sizes.map(({ bytesPerMessage }) => (bytesPerMessage <= MAX_BYTES ? '✅' : '❌')).join(' ')}`
  return [
    '# What stored messages cost',
    [...toNotes(results), note, disk].join('\n'),
    toTable(head, toFigures(sizes)),
    '## The first page of each search',
    'One call at a time, 200 calls each, or as many as fit into 30 s: p50 and p99, and the items on the first page.',
    toTable(head, toAnswers(sizes)),
  ]
    .join('\n\n')
    .concat('\n')
}

type Figure = readonly [name: string, read: (stored: Stored) => number, format: (value: number) => string]

const perSecond = (value: number): string => `${whole(value)}/s`
const toMb = (value: number): string => `${whole(value)} MB`
const toSeconds = (value: number): string => `${value.toFixed(1)} s`

const FIGURES: readonly Figure[] = [
  ['filled at', ({ filledPerSecond }) => filledPerSecond, perSecond],
  ['bytes per message on disk', ({ bytesPerMessage }) => bytesPerMessage, whole],
  ['ready after a clean stop', ({ readySeconds }) => readySeconds, toSeconds],
  ['ready after kill -9 under load', ({ readyAfterKillSeconds }) => readyAfterKillSeconds, toSeconds],
  ['(b) durable 202', ({ acceptPerSecond }) => acceptPerSecond, perSecond],
  ['(c) end to end, short', ({ endToEndPerSecond }) => endToEndPerSecond, perSecond],
  ['RSS after the start', ({ rssMb }) => rssMb, toMb],
  ['RSS after all searches and the load', ({ rssAfterMb }) => rssAfterMb, toMb],
]

const toFigures = (sizes: readonly Stored[]): readonly (readonly string[])[] =>
  FIGURES.map(([name, read, format]) => {
    const [smallest] = sizes.map(read)
    return [name, ...sizes.map((stored, nth) => `${format(read(stored))}${toRatio(read(stored), smallest, nth)}`)]
  })

function toAnswers(sizes: readonly Stored[]): readonly (readonly string[])[] {
  const [smallest] = sizes
  return (smallest?.answers ?? []).map(({ name, p50: least }) => [
    name,
    ...sizes.map(({ answers }, nth) => {
      const answer = answers.find((one) => one.name === name)
      if (answer === undefined) return ''
      const { p50, p99, found } = answer
      return `${ms(p50)}${toRatio(p50, least, nth)}, p99 ${ms(p99)}, ${found} found`
    }),
  ])
}

const toRatio = (value: number, smallest: number | undefined, nth: number): string =>
  nth === 0 || smallest === undefined ? '' : ` (${(value / smallest).toFixed(2)} ×)`
