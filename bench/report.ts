/** The results in Markdown: the verdicts, and where the time went. */
import type { LoadReport } from './load.ts'
import { type Measured, medianOf, type Watched } from './measure.ts'
import { type Results, toVerdicts, type Verdict, whole } from './results.ts'

export function toMarkdown(results: Results): string {
  const { machine, options, at, tookSeconds } = results
  const notes = [
    `${at}, in ${whole(tookSeconds)} s. ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}, Linux ${machine.kernel}.`,
    `fdatasync of 4 KB ${machine.fdatasyncMs.toFixed(2)} ms. The load generator shares the cores.`,
    `Medians of ${options.runs}, ${options.seconds} s each, (a) and (b) in turns.`,
    ...warnings(results).map((warning) => `**${warning}**`),
  ]
  const sections = [
    '# How fast Pombo is',
    notes.join('\n'),
    '![The rates as bars](latest.svg)',
    toTable(['', 'what', 'measured', 'to reach', ''], toVerdicts(results).map(toRow)),
    ...cpuSection(results),
    ...peersSection(results),
  ]
  return `${sections.join('\n\n')}\n`
}

const toRow = ({ part, what, measured, target = '', met }: Verdict): readonly string[] => [
  part,
  what,
  measured,
  target,
  met === undefined ? '' : met ? '✅' : '❌',
]

/** The machine itself takes a little: interrupts, writing back to the disk. */
const MANY_CORES = 0.15

/** What makes the figures worth less. */
function warnings(results: Results): readonly string[] {
  const { machine, options } = results
  const loads = toLoads(results)
  const refused = loads.flatMap(({ statuses }) => Object.keys(statuses)).filter((status) => !status.startsWith('2'))
  const others = Math.max(0, ...cpuRows(results).map(({ othersCores }) => othersCores))
  const lost = loads.reduce((sum, load) => sum + load.lost, 0)
  return [
    ...(options.quick ? ['A quick try: too short to be compared with anything.'] : []),
    ...(others > MANY_CORES ? [`Others used up to ${whole(100 * others)} % of a core meanwhile.`] : []),
    ...(machine.diskIsMemory ? ['The data folders were in memory: set TMPDIR to a folder on a disk.'] : []),
    ...(refused.length > 0 ? [`Some requests were answered with ${[...new Set(refused)].join(', ')}.`] : []),
    ...(lost > 0 ? [`${lost} requests were not answered.`] : []),
  ]
}

function toLoads({ bare = [], accept = [], batch = [], latency, acceptAlone, endToEnd }: Results): LoadReport[] {
  const single = [latency, acceptAlone].filter((measured) => measured !== undefined)
  return [
    ...[...bare, ...accept, ...batch, ...single].map(({ load }) => load),
    ...(endToEnd ? [endToEnd.held.load] : []),
  ]
}

type CpuRow = Readonly<{ name: string; perSecond: number }> & Watched

const toCpuRow = (name: string, measured: Watched, perSecond: number): CpuRow => ({ ...measured, name, perSecond })

const fromMeasured = (name: string, measured: Measured): CpuRow => toCpuRow(name, measured, measured.messagesPerSecond)

function cpuRows({ bare, accept, acceptAlone, endToEnd, batch, latency }: Results): readonly CpuRow[] {
  const median = (name: string, runs: readonly Measured[] | undefined): CpuRow[] =>
    runs === undefined || runs.length === 0 ? [] : [fromMeasured(name, medianOf(runs))]
  const held = endToEnd?.held
  return [
    ...median('(a) bare', bare),
    ...median('(b) accept', accept),
    ...(acceptAlone === undefined ? [] : [fromMeasured('(b2) accept alone', acceptAlone)]),
    ...(held === undefined ? [] : [toCpuRow('(c) end to end', held, held.deliveredPerSecond)]),
    ...median('(d) batch', batch),
    ...(latency === undefined ? [] : [fromMeasured('(e) at half of (b)', latency)]),
  ]
}

const THREADS = ['main', 'store', 'simulator', 'reader', 'V8 and libuv', 'load']

/** What saturates: a thread near 100 % of a core, or all of them together near all cores. */
function cpuSection(results: Results): readonly string[] {
  const rows = cpuRows(results)
  if (rows.length === 0) return []
  const threads = [...new Set([...THREADS, ...rows.flatMap(({ cpu }) => Object.keys(cpu))])]
  const cell = ({ cpu, perSecond }: CpuRow, thread: string): string => {
    const micros = cpu[thread]
    return micros === undefined ? '' : `${micros.toFixed(1)} (${whole((micros * perSecond) / 1e4)} %)`
  }
  const body = rows.map((row) => {
    const total = Object.values(row.cpu).reduce((sum, micros) => sum + micros, 0)
    return [
      row.name,
      ...threads.map((thread) => cell(row, thread)),
      total.toFixed(1),
      `${whole(100 * row.othersCores)} %`,
    ]
  })
  return [
    '## Where the CPU goes',
    'µs a message, and in brackets the share of one core. `load` is the load generator; `others` had nothing to do with it.',
    toTable(['', ...threads, 'all', 'others'], body),
  ]
}

function peersSection({ peers = [] }: Results): readonly string[] {
  if (peers.length === 0) return []
  const body = peers.map(({ name, load, endToEndPerSecond, rssMb, durable, about }) => [
    name,
    `${whole(load.perSecond)}/s`,
    `${whole(endToEndPerSecond)}/s`,
    `${load.latency.p99.toFixed(1)} ms`,
    durable ? 'yes' : 'no',
    `${whole(rssMb)} MB`,
    about,
  ])
  const head = ['', 'accept', 'end to end', 'p99', 'fsync before the answer', 'RSS', 'how']
  return ['## Peers, with the same load', toTable(head, body)]
}

function toTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  const toLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [toLine(head), toLine(head.map(() => '---')), ...body.map(toLine)].join('\n')
}
