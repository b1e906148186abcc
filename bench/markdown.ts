/** Tables in Markdown, and what all reports have in common. */
import type { LoadReport } from './load.ts'
import type { Machine } from './machine.ts'
import type { Watched } from './measure.ts'
import type { Options } from './options.ts'
import { type Verdict, whole } from './verdict.ts'

export function toTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  const toLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [toLine(head), toLine(head.map(() => '---')), ...body.map(toLine)].join('\n')
}

export const toVerdictTable = (verdicts: readonly Verdict[]): string =>
  toTable(['', 'what', 'measured', 'to reach', ''], verdicts.map(toRow))

const toRow = ({ part, what, measured, target = '', met }: Verdict): readonly string[] => [
  part,
  what,
  measured,
  target,
  met === undefined ? '' : met ? '✅' : '❌',
]

/** What was measured, and when, and on what. */
export type Occasion = Readonly<{
  at: string
  machine: Machine
  options: Pick<Options, 'quick' | 'seconds' | 'runs' | 'waiting'> & Partial<Pick<Options, 'settings'>>
  tookSeconds: number
}>

export const toNotes = ({ at, machine, tookSeconds }: Occasion): readonly string[] => [
  `${at}, in ${whole(tookSeconds)} s. ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}, Linux ${machine.kernel}.`,
  `fdatasync of 4 KB ${machine.fdatasyncMs.toFixed(2)} ms. The load generator shares the cores.`,
]

/** The machine itself takes a little: interrupts, writing back to the disk. */
const MANY_CORES = 0.15

/** What makes the figures worth less. */
export function toWarnings(
  { machine, options }: Occasion,
  loads: readonly LoadReport[],
  watched: readonly Watched[],
): readonly string[] {
  const refused = loads.flatMap(({ statuses }) => Object.keys(statuses)).filter((status) => !status.startsWith('2'))
  const others = Math.max(0, ...watched.map(({ othersCores }) => othersCores))
  const lost = loads.reduce((sum, load) => sum + load.lost, 0)
  const warnings = [
    ...(options.quick ? ['A quick try: too short to be compared with anything.'] : []),
    ...(others > MANY_CORES ? [`Others used up to ${whole(100 * others)} % of a core meanwhile.`] : []),
    ...(machine.diskIsMemory ? ['The data folders were in memory: set TMPDIR to a folder on a disk.'] : []),
    ...(refused.length > 0 ? [`Some requests were answered with ${[...new Set(refused)].join(', ')}.`] : []),
    ...(lost > 0 ? [`${lost} requests were not answered.`] : []),
  ]
  return warnings.map((warning) => `**${warning}**`)
}

export type CpuRow = Readonly<{ name: string; perSecond: number }> & Watched

/** `users` come first; whoever else used something comes after them. */
export function toCpuTable(rows: readonly CpuRow[], users: readonly string[]): string {
  const columns = [...new Set([...users, ...rows.flatMap(({ cpu }) => Object.keys(cpu))])]
  const cell = ({ cpu, perSecond }: CpuRow, user: string): string => {
    const micros = cpu[user]
    return micros === undefined ? '' : `${micros.toFixed(1)} (${whole((micros * perSecond) / 1e4)} %)`
  }
  const body = rows.map((row) => {
    const total = Object.values(row.cpu).reduce((sum, micros) => sum + micros, 0)
    return [row.name, ...columns.map((user) => cell(row, user)), total.toFixed(1), `${whole(100 * row.othersCores)} %`]
  })
  return toTable(['', ...columns, 'all', 'others'], body)
}
