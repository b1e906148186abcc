/** The results of the cluster in Markdown and as a chart, and what saturates. */
import { type Bar, drawBars, times, toBar } from '../bars.ts'
import { type CpuRow, toCpuTable, toNotes, toTable, toVerdictTable, toWarnings } from '../markdown.ts'
import { type Measured, medianOf } from '../measure.ts'
import { rateOf } from '../results.ts'
import type { Stretch } from '../stretch.ts'
import { TARGET as EMBEDDED } from '../targets.ts'
import { whole } from '../verdict.ts'
import type { ClusterEndToEnd } from './end-to-end.ts'
import { type ClusterResults, count, cpuOf, nameOf, publishRate, TARGET, toVerdicts } from './results.ts'

export function toMarkdown(results: ClusterResults): string {
  const { runs, seconds, settings = {} } = results.options
  const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  const rows = cpuRows(results)
  const notes = [
    ...toNotes(results),
    `Medians of ${runs}, ${seconds} s each, (n0) and (n1) in turns. One broker without replicas except in (n8), PostgreSQL, Redis and all processes on this machine.`,
    ...(given.length === 0 ? [] : [`With ${given.join(', ')}.`]),
    ...toWarnings(results, toLoads(results), rows),
  ]
  const sections = [
    '# How fast the cluster profile is',
    notes.join('\n'),
    '![The rates as bars](cluster.svg)',
    toVerdictTable(toVerdicts(results)),
    ...(rows.length === 0 ? [] : cpuSection(rows)),
    ...scalingSection(results),
  ]
  return `${sections.join('\n\n')}\n`
}

export function toChart(results: ClusterResults): string {
  const { publishing, accepting, endToEnd, limits, replicated } = results
  const bars: readonly Bar[] = [
    ...publishing.flatMap(({ sync, runs }) => [
      ...toBar(`(n0) one publish, ${sync} sync`, 'bare', rateOf(runs)),
      ...accepting
        .filter((one) => one.sync === sync)
        .flatMap(({ apis, runs }) =>
          toBar(
            `(n1) durable 202, ${count(apis, 'api')}`,
            'ours',
            rateOf(runs),
            apis === 1 ? times(publishRate(results, sync), TARGET.accept[sync]) : undefined,
          ),
        ),
    ]),
    ...toBar('(n2) end to end', 'ours', endToEnd?.endToEnd.held.endToEndPerSecond, TARGET.endToEnd),
    ...toBar('(n7) without limits, 1 api', 'ours', rateOf(limits?.unlimited)),
    ...toBar(
      '(n7) under limits, 1 api',
      'ours',
      rateOf(limits?.limited),
      times(rateOf(limits?.unlimited), EMBEDDED.limited),
    ),
    ...toBar('(n8) end to end, three brokers', 'ours', replicated?.endToEnd?.endToEnd.held.endToEndPerSecond),
  ]
  return drawBars(results.machine, bars)
}

const heldOf = ({ endToEnd, replicated }: ClusterResults): readonly ClusterEndToEnd[] => [
  ...(endToEnd === undefined ? [] : [endToEnd]),
  ...(replicated?.endToEnd === undefined ? [] : [replicated.endToEnd]),
]

const toLoads = (results: ClusterResults) => [
  ...[...results.publishing, ...results.accepting].flatMap(({ runs }) => runs.map(({ load }) => load)),
  ...heldOf(results).map(({ endToEnd }) => endToEnd.held.load),
  ...results.scaling.map(({ stretch }) => stretch.load),
  ...[...(results.limits?.unlimited ?? []), ...(results.limits?.limited ?? [])].map(({ load }) => load),
]

function cpuRows({ publishing, accepting, endToEnd, scaling, limits, replicated }: ClusterResults): readonly CpuRow[] {
  const median = (name: string, runs: readonly Measured[]): CpuRow[] => {
    if (runs.length === 0) return []
    const measured = medianOf(runs)
    return [{ ...byKind(measured), name, perSecond: measured.messagesPerSecond }]
  }
  const stretch = (name: string, held: Stretch): CpuRow => ({
    ...byKind(held),
    name,
    perSecond: held.deliveredPerSecond,
  })
  return [
    ...publishing.flatMap(({ sync, runs }) => median(`(n0) ${sync} sync`, runs)),
    ...accepting.flatMap(({ sync, apis, runs }) => median(`(n1) ${sync} sync, ${count(apis, 'api')}`, runs)),
    ...(endToEnd === undefined ? [] : [stretch('(n2) end to end', endToEnd.endToEnd.held)]),
    ...scaling.map(({ scale, stretch: paced }) => stretch(`(n6) ${nameOf(scale)}`, paced)),
    ...median('(n7) without limits, 1 api', limits?.unlimited ?? []),
    ...median('(n7) under limits, 1 api', limits?.limited ?? []),
    ...median('(n8) 1 api, three brokers', replicated?.accepting ?? []),
    ...(replicated?.endToEnd === undefined
      ? []
      : [stretch('(n8) end to end, three brokers', replicated.endToEnd.endToEnd.held)]),
  ]
}

/** `worker 1` and `worker 2` are both `worker`. */
function byKind({ cpu, othersCores }: Pick<Stretch, 'cpu' | 'othersCores'>) {
  const sums: Record<string, number> = {}
  for (const [name, micros] of Object.entries(cpu)) {
    const kind = name.replace(/ \d+$/, '')
    sums[kind] = (sums[kind] ?? 0) + micros
  }
  return { cpu: sums, othersCores }
}

const KINDS = ['nats-server', 'postgres', 'redis-server', 'api', 'worker', 'projector', 'simulator', 'load', 'bench']

const cpuSection = (rows: readonly CpuRow[]): readonly string[] => [
  '## Where the CPU goes',
  'µs a message, and in brackets the share of one core, all processes of a kind together. `load` is the load generator, `bench` looks on; `others` had nothing to do with it.',
  toCpuTable(rows, KINDS),
]

function scalingSection(results: ClusterResults): readonly string[] {
  const body = heldOf(results).map(({ scale, endToEnd: { held } }) => [
    `${nameOf(scale)}${scale.replicas === 3 ? ', three brokers' : ''}`,
    `${whole(held.endToEndPerSecond)}/s, ${whole(cpuOf(held))} µs a message`,
    ...toLimit(held, results.machine.cores),
  ])
  if (body.length === 0) return []
  return [
    '## What saturates first',
    toTable(['', 'end to end', 'busiest process', 'all together', 'so the limit is'], body),
  ]
}

/** Above this share, a core or the machine is saturated. */
const FULL = 0.9

export function toLimit({ cpu, deliveredPerSecond, othersCores }: Stretch, cores: number): readonly string[] {
  const shares = Object.entries(cpu).map(([name, micros]) => ({ name, cores: (micros * deliveredPerSecond) / 1e6 }))
  const [busiest] = shares.toSorted((one, other) => other.cores - one.cores)
  const all = shares.reduce((sum, share) => sum + share.cores, othersCores)
  const percent = (share: number): string => `${whole(100 * share)} %`
  const limit =
    all >= FULL * cores
      ? 'the machine: all cores are full'
      : busiest !== undefined && busiest.cores >= FULL
        ? busiest.name
        : 'no CPU: something waits'
  return [
    busiest === undefined ? '' : `${busiest.name}, ${percent(busiest.cores)} of a core`,
    `${percent(all)} of ${percent(cores)}`,
    limit,
  ]
}
