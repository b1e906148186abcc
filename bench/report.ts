/** The results in Markdown: verdicts and CPU usage. */
import type { Email } from './email.ts'
import { medianAlone, medianSent } from './email-verdicts.ts'
import type { LoadReport } from './load.ts'
import { type CpuRow, toCpuTable, toNotes, toTable, toVerdictTable, toWarnings } from './markdown.ts'
import { type Measured, medianOf, type Watched } from './measure.ts'
import { type Results, toVerdicts } from './results.ts'
import { whole } from './verdict.ts'

export function toMarkdown(results: Results): string {
  const { runs, seconds } = results.options
  const notes = [
    ...toNotes(results),
    `Medians of ${runs}, ${seconds} s each, (a), (b) and (g) in turns.`,
    ...toWarnings(results, toLoads(results), cpuRows(results)),
  ]
  const sections = [
    '# How fast Pombo is',
    notes.join('\n'),
    '![The rates as bars](latest.svg)',
    toVerdictTable(toVerdicts(results)),
    ...cpuSection(results),
    ...peersSection(results),
  ]
  return `${sections.join('\n\n')}\n`
}

function toLoads(results: Results): LoadReport[] {
  const { bare = [], accept = [], batch = [], latency, acceptAlone, endToEnd, limits, codes, providers, smpp } = results
  const single = [latency, acceptAlone].filter((measured) => measured !== undefined)
  const limited = limits?.limited ?? []
  const coded = [codes?.validating ?? [], codes?.alone ?? [], codes?.beside.map(({ accept }) => accept) ?? []].flat()
  return [
    ...[...bare, ...accept, ...batch, ...single, ...limited, ...coded].map(({ load }) => load),
    ...(endToEnd ? [endToEnd.held.load] : []),
    ...(smpp ? [smpp.held.load] : []),
    ...(providers?.distant.map(({ sent }) => sent.load) ?? []),
    ...(results.email === undefined ? [] : toMailLoads(results.email)),
  ]
}

function toMailLoads({ sent, alone, beside }: Email): readonly LoadReport[] {
  return [
    ...sent.map(({ load }) => load),
    ...alone.map(({ load }) => load),
    ...beside.flatMap(({ accept, mails }) => [accept.load, mails]),
  ]
}

const toCpuRow = (name: string, measured: Watched, perSecond: number): CpuRow => ({ ...measured, name, perSecond })

const fromMeasured = (name: string, measured: Measured): CpuRow => toCpuRow(name, measured, measured.messagesPerSecond)

const median = (name: string, runs: readonly Measured[] | undefined): readonly CpuRow[] =>
  runs === undefined || runs.length === 0 ? [] : [fromMeasured(name, medianOf(runs))]

function cpuRows(results: Results): readonly CpuRow[] {
  const { bare, accept, acceptAlone, endToEnd, batch, latency, limits, codes, providers, smpp } = results
  const held = endToEnd?.held
  return [
    ...median('(a) bare', bare),
    ...median('(b) accept', accept),
    ...(acceptAlone === undefined ? [] : [fromMeasured('(b2) accept alone', acceptAlone)]),
    ...(held === undefined ? [] : [toCpuRow('(c) end to end', held, held.deliveredPerSecond)]),
    ...median('(d) batch', batch),
    ...(latency === undefined ? [] : [fromMeasured('(e) at half of (b)', latency)]),
    ...median('(g) under limits', limits?.limited),
    ...median('(h) validating codes', codes?.validating),
    ...median('(h) a quarter of (b)', codes?.alone),
    ...median(
      '(h) beside codes',
      codes?.beside.map(({ accept }) => accept),
    ),
    ...(providers?.distant.map(({ concurrency, sent }) =>
      toCpuRow(`(i1) ${concurrency} calls at once`, sent, sent.handedOffPerSecond),
    ) ?? []),
    ...(smpp === undefined ? [] : [toCpuRow('(j) by SMPP', smpp.held, smpp.held.deliveredPerSecond)]),
    ...(results.email === undefined ? [] : mailRows(results.email)),
  ]
}

function mailRows(email: Email): readonly CpuRow[] {
  const [alone, held] = [medianAlone(email), medianSent(email)]
  const accepting = email.beside.map(({ accept }) => accept)
  return [
    ...(alone === undefined ? [] : [toCpuRow('(k1) nodemailer alone', alone, alone.perSecond)]),
    ...(held === undefined ? [] : [toCpuRow('(k1) mails', held, held.handedOffPerSecond)]),
    ...median('(k2) half of (b)', email.alone),
    ...median('(k2) beside mails', accepting),
  ]
}

const THREADS = ['main', 'store', 'simulator', 'reader', 'hashing', 'V8 and libuv', 'load']

/** Shows what saturates: one thread, or all cores together. */
function cpuSection(results: Results): readonly string[] {
  const rows = cpuRows(results)
  if (rows.length === 0) return []
  return [
    '## Where the CPU goes',
    'µs per message (or per code where codes are validated), and the share of one core in brackets. `load` is the load generator; `others` are unrelated processes.',
    toCpuTable(rows, THREADS),
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
