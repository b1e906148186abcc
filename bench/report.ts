/** The results in Markdown: verdicts, CPU usage and peers. */
import type { Email } from './email.ts'
import { medianAlone, medianSent } from './email-verdicts.ts'
import { medianEndToEnd } from './end-to-end-verdicts.ts'
import { medianLatency } from './latency.ts'
import type { LoadReport } from './load.ts'
import { type CpuRow, toCpuTable, toNotes, toTable, toVerdictTable, toWarnings } from './markdown.ts'
import { type Measured, medianBy, medianOf, type Watched } from './measure.ts'
import { PEER_NAMES, PEERS } from './peers/peer.ts'
import { type Results, toVerdicts } from './results.ts'
import { type Round, runsOf } from './rounds.ts'
import type { Stretch } from './stretch.ts'
import { whole } from './verdict.ts'

export function toMarkdown(results: Results): string {
  const { runs, seconds } = results.options
  const notes = [
    ...toNotes(results),
    `(a), (b), (c), (d), (g) and the peers in turns, ${runs} × ${seconds} s: median rates, and medians of the ratios within the rounds.`,
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

function toLoads({ rounds, acceptAlone, latencies, codes, providers, smpp, email }: Results): readonly LoadReport[] {
  const coded = [codes?.validating ?? [], codes?.alone ?? [], codes?.beside.map(({ accept }) => accept) ?? []].flat()
  const paced = [...(latencies?.half ?? []), ...(latencies?.low ?? []), ...(acceptAlone ? [acceptAlone] : [])]
  return [
    ...rounds.flatMap(toRoundLoads),
    ...[...paced, ...coded].map(({ load }) => load),
    ...(smpp ? [smpp.held.load] : []),
    ...(providers?.distant.map(({ sent }) => sent.load) ?? []),
    ...(email === undefined ? [] : toMailLoads(email)),
  ]
}

const toRoundLoads = ({ bare, accept, batch, limited, kannel, bullmq, endToEnd, endToEndLate }: Round) =>
  [bare, accept, batch, limited, kannel, bullmq, endToEnd?.held, endToEndLate?.held].flatMap((run) =>
    run === undefined ? [] : [run.load],
  )

function toMailLoads({ sent, alone, beside }: Email): readonly LoadReport[] {
  return [
    ...sent.map(({ load }) => load),
    ...alone.map(({ load }) => load),
    ...beside.flatMap(({ accept, mails }) => [accept.load, mails]),
  ]
}

const toCpuRow = (name: string, measured: Watched, perSecond: number): CpuRow => ({ ...measured, name, perSecond })

const fromMeasured = (name: string, measured: Measured | undefined): readonly CpuRow[] =>
  measured === undefined ? [] : [toCpuRow(name, measured, measured.messagesPerSecond)]

const fromHeld = (name: string, held: Stretch | undefined): readonly CpuRow[] =>
  held === undefined ? [] : [toCpuRow(name, held, held.deliveredPerSecond)]

const median = (name: string, runs: readonly Measured[] | undefined): readonly CpuRow[] =>
  runs === undefined || runs.length === 0 ? [] : fromMeasured(name, medianOf(runs))

function cpuRows(results: Results): readonly CpuRow[] {
  const { rounds, acceptAlone, latencies, codes, providers, smpp, email } = results
  return [
    ...median('(a) bare', runsOf(rounds, 'bare')),
    ...median('(b) accept', runsOf(rounds, 'accept')),
    ...fromMeasured('(b2) accept alone', acceptAlone),
    ...fromHeld('(c) end to end', medianEndToEnd(rounds, 'endToEnd')?.held),
    ...fromHeld('(c) receipts after 3 s', medianEndToEnd(rounds, 'endToEndLate')?.held),
    ...median('(d) batch', runsOf(rounds, 'batch')),
    ...fromMeasured('(e) at half of (b)', latencies && medianLatency(latencies.half)),
    ...fromMeasured('(e) at a low rate', latencies && medianLatency(latencies.low)),
    ...median('(g) under limits', runsOf(rounds, 'limited')),
    ...median('(h) validating codes', codes?.validating),
    ...median('(h) a quarter of (b)', codes?.alone),
    ...median(
      '(h) beside codes',
      codes?.beside.map(({ accept }) => accept),
    ),
    ...(providers?.distant.map(({ concurrency, sent }) =>
      toCpuRow(`(i1) ${concurrency} calls at once`, sent, sent.handedOffPerSecond),
    ) ?? []),
    ...fromHeld('(j) by SMPP', smpp?.held),
    ...(email === undefined ? [] : mailRows(email)),
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

/** The median round of each peer by its rate from end to end. */
function peersSection({ rounds }: Results): readonly string[] {
  const body = PEER_NAMES.flatMap((peer) => {
    const runs = runsOf(rounds, peer)
    if (runs.length === 0) return []
    const { load, endToEndPerSecond, rssMb } = medianBy(runs, (run) => run.endToEndPerSecond)
    const { name, durable, about } = PEERS[peer]
    return [
      [
        name,
        `${whole(load.perSecond)}/s`,
        `${whole(endToEndPerSecond)}/s`,
        `${load.latency.p99.toFixed(1)} ms`,
        durable ? 'yes' : 'no',
        `${whole(rssMb)} MB`,
        about,
      ],
    ]
  })
  if (body.length === 0) return []
  const head = ['', 'accept', 'end to end', 'p99', 'fsync before the answer', 'RSS', 'how']
  return ['## Peers, with the same load', toTable(head, body)]
}
