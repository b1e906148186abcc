/** How long lists and statistics take with many stored messages, in Markdown: a section for each profile. */
import { type RunInfo, toNotes, toTable } from '../markdown.ts'
import { ms, whole } from '../verdict.ts'
import type { Asked } from './pairs.ts'

export type ListedProfile = Readonly<{
  profile: string
  messages: number
  filledPerSecond: number
  asked: readonly Asked[]
}>
export type ListResults = Omit<RunInfo, 'options'> & Readonly<{ load: number; profiles: readonly ListedProfile[] }>

const SHOWN = 25
const LIST_BAR = 50
const STATS_BAR = 100

export const toListMarkdown = (results: ListResults): string =>
  [
    '# Lists and statistics of many stored messages',
    [
      ...toNotes(results),
      `The load average of the machine was ${results.load.toFixed(1)} before the run.`,
      'Short SMS of four tenants, almost all delivered, spread over the last 30 days. Every filter of `GET /v1/messages` alone and in pairs, with common, rare and absent values: the first page, a page from the middle of the list, and the first page with its total. One call at a time, five of each: the median and the slowest. All questions are in `lists.json`.',
    ].join('\n'),
    ...results.profiles.map(toSection),
  ]
    .join('\n\n')
    .concat('\n')

function toSection({ profile, messages, filledPerSecond, asked }: ListedProfile): string {
  const isStats = ({ name }: Asked): boolean => name.startsWith('stats')
  const [lists, stats] = [asked.filter((one) => !isStats(one)), asked.filter(isStats)]
  const slowest = lists.toSorted((one, other) => other.p50 - one.p50)
  const kinds = [
    ['first page', lists.filter(({ name }) => !/, (?:middle|total)$/.test(name))],
    ['middle', lists.filter(({ name }) => name.endsWith(', middle'))],
    ['with total', lists.filter(({ name }) => name.endsWith(', total'))],
  ] as const
  return [
    `## ${profile}, ${whole(messages)} messages`,
    `Filled at ${whole(filledPerSecond)}/s. Lists should take ${LIST_BAR} ms at most, statistics ${STATS_BAR} ms.`,
    toTable(
      ['', 'questions', 'p50', 'p99', 'worst', 'over the bar'],
      [...kinds.map(([name, some]) => toSummary(name, some, LIST_BAR)), toSummary('statistics', stats, STATS_BAR)],
    ),
    `### Statistics, and the ${SHOWN} slowest lists`,
    toTable(['', 'p50', 'worst', 'found'], [...stats, ...slowest.slice(0, SHOWN)].map(toRow)),
  ].join('\n\n')
}

/** Of the medians. */
function toSummary(name: string, asked: readonly Asked[], bar: number): readonly string[] {
  const times = asked.map(({ p50 }) => p50).toSorted((one, other) => one - other)
  const at = (share: number): string => ms(times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0)
  const over = times.filter((time) => time > bar).length
  return [name, String(times.length), at(0.5), at(0.99), at(1), `${over} ${over === 0 ? '✅' : '❌'}`]
}

const toRow = ({ name, p50, worst, found }: Asked): readonly string[] => [name, ms(p50), ms(worst), String(found)]
