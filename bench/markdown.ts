/** Markdown tables, and what all reports share. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  toTable(['', 'what', 'measured', 'target', ''], verdicts.map(toRow))

const toRow = ({ part, what, measured, target = '', met }: Verdict): readonly string[] => [
  part,
  what,
  measured,
  target,
  met === undefined ? '' : met ? '✅' : '❌',
]

/** Writes the results and their report, and prints the report. */
export function writeResults(folder: string, name: string, results: object, markdown: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(folder, `${name}.md`), markdown)
  process.stdout.write(`\n${markdown}`)
}

/** When and where the results were measured. */
export type RunInfo = Readonly<{
  at: string
  machine: Machine
  options: Pick<Options, 'quick' | 'seconds' | 'runs' | 'waiting'> & Partial<Pick<Options, 'settings'>>
  tookSeconds: number
}>

export const toNotes = ({ at, machine, tookSeconds }: Omit<RunInfo, 'options'>): readonly string[] => [
  `${at}, in ${whole(tookSeconds)} s. ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}, Linux ${machine.kernel}.`,
  `fdatasync of 4 KB ${machine.fdatasyncMs.toFixed(2)} ms. The load generator shares the cores.`,
]

/** The system itself uses a little: interrupts, writing back to disk. */
const MANY_CORES = 0.15

/** Warnings about the quality of the results. */
export function toWarnings(
  { machine, options }: RunInfo,
  loads: readonly LoadReport[],
  watched: readonly Pick<Watched, 'othersCores'>[],
): readonly string[] {
  const refused = loads.flatMap(({ statuses }) => Object.keys(statuses)).filter((status) => !status.startsWith('2'))
  const others = Math.max(0, ...watched.map(({ othersCores }) => othersCores))
  const lost = loads.reduce((sum, load) => sum + load.lost, 0)
  const warnings = [
    ...(options.quick ? ['Quick run: too short for comparisons.'] : []),
    ...(others > MANY_CORES ? [`Other processes used up to ${whole(100 * others)} % of a core.`] : []),
    ...(machine.diskIsMemory ? ['The data folders were on a RAM disk: set TMPDIR to a folder on a real disk.'] : []),
    ...(refused.length > 0 ? [`Some requests were answered with ${[...new Set(refused)].join(', ')}.`] : []),
    ...(lost > 0 ? [`${lost} requests were not answered.`] : []),
  ]
  return warnings.map((warning) => `**${warning}**`)
}

export type CpuRow = Readonly<{ name: string; perSecond: number }> & Watched

/** `users` come first, then all others. */
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
