/** Renders docs/metrics.md from the registry itself; a test fails when the page is out of date. */
import type { Registry } from 'prom-client'
import { instant, millis } from '../../lib/time.ts'
import type { Position } from '../../ports/event-log.ts'
import { MOST_SERIES } from './label-tree.ts'
import { type MetricsDeps, openMetrics } from './metrics.ts'
import { sinkMetrics } from './sink-metrics.ts'
import { MOST_TENANTS } from './tenant-metrics.ts'

/** A metric as it is exported. */
export type Described = Readonly<{
  name: string
  type: string
  labels: readonly string[]
  help: string
  /** Missing where both profiles have it. */
  profile?: 'embedded' | 'cluster'
}>

const START = async () => 0 as Position
const BOTH: MetricsDeps = {
  log: { tip: START },
  queue: { depth: async () => [] },
  index: { position: START },
  breakers: { states: () => new Map(), watch: () => () => undefined },
  clock: () => instant(0),
  keep: millis(0),
  quotaRatios: async () => [],
  storage: async () => ({}),
}
const EMBEDDED: MetricsDeps = { ...BOTH, unfiledFrames: () => 0, disk: async () => ({ size: 0, free: 0 }) }
const CLUSTER: MetricsDeps = { ...BOTH, areLimitsDegraded: () => false }

/** Every metric of each profile, without a gateway. */
export async function describeMetrics(): Promise<readonly Described[]> {
  const [embedded, cluster] = await Promise.all([describe(EMBEDDED), describe(CLUSTER)])
  const isIn = (all: readonly Described[], { name }: Described): boolean => all.some((one) => one.name === name)
  return [
    ...embedded.map((one) => (isIn(cluster, one) ? one : { ...one, profile: 'embedded' as const })),
    ...cluster.filter((one) => !isIn(embedded, one)).map((one) => ({ ...one, profile: 'cluster' as const })),
  ]
}

async function describe(deps: MetricsDeps): Promise<readonly Described[]> {
  const { registry } = openMetrics(deps)
  sinkMetrics({ registry, log: deps.log, sinks: () => [] })
  return Promise.all(registry.getMetricsAsArray().map(toDescribed))
}

/** What every metric has, which the types of prom-client do not say. */
type Registered = Readonly<{
  name: string
  help: string
  labelNames?: readonly string[]
  get: () => Promise<Readonly<{ type: string }>>
}>

async function toDescribed(metric: ReturnType<Registry['getMetricsAsArray']>[number]): Promise<Described> {
  const registered = metric as unknown as Registered
  const { name, help, labelNames = [] } = registered
  const { type } = await registered.get()
  return { name, help, type, labels: labelNames }
}

/** In the order of the page. Each metric is in the first section that its name matches. */
export const SECTIONS: readonly (readonly [title: string, names: RegExp])[] = [
  ['The pipeline', /^pipeline_/],
  ['Messages', /^pombo_(accept|status|message|messages|dead|unknown|handoff|tenant)_/],
  ['Queue', /^pombo_(queue|jobs)_/],
  ['Providers', /^pombo_(provider|callbacks|breaker)_/],
  ['One-time codes', /^pombo_otp_/],
  ['HTTP', /^pombo_http_/],
  ['SMTP', /^pombo_smtp_/],
  ['SMPP', /^pombo_smpp_/],
  ['Webhooks', /^pombo_(webhook|endpoints)_/],
  ['Sinks', /^pombo_sink_/],
  ['Limits and quotas', /^pombo_(limit|limits|quota)_/],
  ['Stores', /^pombo_(index|journal|storage|disk|orphans)_/],
  ['Node.js', /^(process|nodejs)_/],
]

/** The labels of our own metrics, and their values. */
export const LABELS: Readonly<Record<string, string>> = {
  bind: 'how an SMPP session is bound: `transmitter`, `receiver` or `transceiver`',
  category: 'the category of an error code, such as `TRANSIENT_ERROR`',
  channel: '`sms` or `email`',
  check: 'the check that a message failed: `INTEGRITY`, `RECIPIENT` or `TEMPLATE`',
  code: 'an error code of ours or of a provider',
  command: 'what an SMPP client asked for, such as `submit_sm`',
  decision: '`admitted` or `limited`',
  from: 'the public status before, empty for a new message; of a circuit breaker its state',
  kind: 'what was left over: `key` or `content`',
  lane: '`otp`, `transactional` or `bulk`',
  method: 'the method of a request',
  operation: '`send` or `lookup`',
  outcome:
    'of a send `accepted`, `rejected` (for what the message contains), `provider_rejected` (for what the provider or our account there is), `deferred` or `unknown`; of a look-up `found`, `absent` or `undetermined`',
  provider: 'the name of a provider; empty where none is known',
  quota: 'the name of a quota',
  reason: 'why a delivery failed (such as `5xx`), or why an endpoint was disabled',
  result:
    '`accepted`, `forged` (the signature is not valid) or `unmatched` (about no message of this gateway); of an SMPP receipt `taken`, `refused` or `unanswered`',
  route: 'the route of a request, such as `/v1/messages/:id`, never its path; empty for unknown paths',
  sink: 'the name of a sink',
  state:
    'of the pipeline `RECEIVED`, `VALIDATED`, `SENT_ATTEMPT`, `SENT`, `FAILED`, `RETRY_SCHEDULED` or `VALIDATION_FAILED`; of the queue `ready`, `delayed`, `parked` or `taken`; of a circuit breaker `closed`, `open` or `half_open`',
  status:
    'the public status of a message: `queued`, `sending`, `sent`, `delivered`, `failed` or `expired`; of a request its HTTP status; of a check of a code its result, such as `verified` or `invalid`; of an answer to an SMPP client its status, such as `0x58`',
  store:
    'in the embedded profile `tables`, `journal` or `other`; in the cluster profile `log`, `keys`, `contents`, `receipts`, `jobs` or `postgres`',
  tenant: 'the id of a tenant',
  to: 'the public status after; of a circuit breaker `closed`, `open` or `half_open`',
  by: 'what ended it: `answer`, `receipt` and `lookup` are evidence of the provider, `person` decided, `sent_again` by the policy of the route, `not_received` says the provider, `given_up` without evidence',
}

export async function renderMetricsDocs(): Promise<string> {
  const all = await describeMetrics()
  return `# Metrics

<!-- Generated from src/observe/metrics by "npm run docs". Do not edit. -->

Every process serves its metrics at \`GET /metrics\`, in the Prometheus text format and without a token.
[operations.md](operations.md#monitoring) says which of them to watch, and \`deploy/observability\` has rules and a
dashboard.

- **Counters and histograms** count what this process did: sum them over all processes. The same goes for
  \`pombo_provider_calls\`, \`pombo_sink_…\`, \`nodejs_…\` and \`process_…\`. **All other gauges** describe the whole
  installation, and every process reports the same: take the maximum.
- **A scrape is cheap.** Counting costs a few look-ups in memory, and what is read from a store is kept for
  \`POMBO_METRICS_CACHE_SECONDS\` (10 by default): scrape as often as you like. A store that is unreachable leaves its
  gauges empty or NaN, and the others are exported.
- **The number of series is bounded.** Labels never contain message ids, recipients or paths. A counter or histogram has
  at most ${MOST_SERIES} combinations of labels; further ones are counted under \`other\`. Of tenants only the
  ${MOST_TENANTS} that send most are exported, or that use most of a quota.
- A series with labels appears with its first count. Histograms have \`_bucket\`, \`_sum\` and \`_count\`, in seconds.

${SECTIONS.map(([title, names]) =>
  toSection(
    title,
    all.filter(({ name }) => sectionOf(name) === names),
  ),
).join('\n\n')}

## Labels

| label | values |
|---|---|
${Object.entries(LABELS)
  .toSorted(([one], [other]) => (one < other ? -1 : 1))
  .map(([label, values]) => `| \`${label}\` | ${values} |`)
  .join('\n')}
`
}

const sectionOf = (name: string): RegExp | undefined => SECTIONS.find(([, names]) => names.test(name))?.[1]

const toSection = (title: string, metrics: readonly Described[]): string => `## ${title}

| metric | type | labels | meaning |
|---|---|---|---|
${metrics.map(toRow).join('\n')}`

const toRow = ({ name, type, labels, help, profile }: Described): string => {
  const only = profile === undefined ? '' : ` (${profile} profile)`
  return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help}${only} |`
}
