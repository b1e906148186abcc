/** Stops PostgreSQL: search answers 503, sending is not affected, and the index catches up. */
import { runPombo } from '../support/command.ts'
import type { Gateway } from '../support/gateway.ts'
import { searchAll } from '../support/index-dump.ts'
import { mapInBatches } from '../support/map-in-batches.ts'
import { untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { type Fault, type Scene, underLoad } from './fault.ts'
import { retryAfterOf, type SteadyLoad } from './load.ts'
import type { Site } from './site.ts'

/** The number of messages after the stop that are followed to their end. */
const SAMPLES = 10
const DELIVERED_WITHIN = { withinMs: 20_000, everyMs: 100 }
const INDEXED_WITHIN = { withinMs: 120_000, everyMs: 100 }
const READY_WITHIN = { withinMs: 30_000, everyMs: 100 }
/** The searches to compare before and after the index is rebuilt. */
const QUERIES = [{}, { status: 'delivered' }, { tag: 'tag-1' }]

export const postgresOutage: Fault = {
  name: 'postgres',
  promise: 'sending continues while PostgreSQL is unreachable, and afterwards the index equals a rebuilt one',
  usual: { kills: 0, seconds: 60 },
  brief: { kills: 0, seconds: 4 },
  lacks: ({ cluster }) => (cluster.postgres.faults === undefined ? 'PostgreSQL is external' : undefined),
  async inject({ site, load, plan, note }) {
    const { faults } = site.cluster.postgres
    if (faults === undefined) return ['an external PostgreSQL server cannot be stopped']
    const before = load.accepted.length
    await faults.stop()
    try {
      return await problemsUntil(performance.now() + plan.seconds * 1000, site, load)
    } finally {
      note('accepted during the outage', load.accepted.length - before)
      await faults.start()
      await untilReady(site)
    }
  },
  afterwards: problemsOfRebuild,
}

/** Repeatedly checks that new messages are delivered and how searches are answered. */
async function problemsUntil(overAt: number, { apis }: Site, load: SteadyLoad): Promise<string[]> {
  const problems = new Set<string>()
  while (performance.now() < overAt) {
    const from = load.accepted.length
    await underLoad(load, SAMPLES)
    const ids = load.accepted.slice(from, from + SAMPLES).map(({ id }) => id)
    await mapInBatches(ids, (id) => untilStatus(apis[0], id, 'delivered', DELIVERED_WITHIN))
    for (const problem of (await mapInBatches(apis, problemsDuringOutage)).flat()) problems.add(problem)
  }
  return [...problems]
}

type Readiness = Readonly<{ dependencies: Readonly<Record<string, Readonly<{ ok: boolean }>>> }>

async function problemsDuringOutage(api: Gateway): Promise<string[]> {
  const search = await api.call<never>('GET', '/v1/messages')
  const ready = await api.call<Readiness>('GET', '/health/ready')
  const isReported = ready.body.dependencies['log']?.ok === true && ready.body.dependencies['index']?.ok === false
  return [
    ...(retryAfterOf(search) === undefined ? [`a search was answered ${search.status} ${search.text}`] : []),
    ...(ready.status === 200 && isReported ? [] : [`the readiness of an API process is ${ready.status} ${ready.text}`]),
  ]
}

async function untilReady({ cluster }: Site): Promise<void> {
  const hasIndex = async (url: string): Promise<boolean> => {
    const response = await fetch(`${url}/health/ready`)
    return response.ok && ((await response.json()) as Readiness).dependencies['index']?.ok === true
  }
  for (const { name, url } of cluster.members) {
    await until(`${name} to reach the index`, () => hasIndex(url), READY_WITHIN)
  }
}

/** S2-REPLAY. */
async function problemsOfRebuild({ site: { apis, cluster, earlier }, note }: Scene): Promise<string[]> {
  const list = () => Promise.all(QUERIES.map((query) => searchAll(apis[0], query)))
  const before = await list()
  const { code, err } = await runPombo(['rebuild', '--json'], cluster.settings)
  if (code !== 0) return [`pombo rebuild ended with ${code}: ${err}`]
  await untilIndexed(apis[0], INDEXED_WITHIN)
  const rebuilt = await list()
  const count = before[0]?.length ?? 0
  note('messages in the index', count)
  return [
    ...(count === earlier.size ? [] : [`${earlier.size} messages were accepted, the index has ${count}`]),
    ...(JSON.stringify(before) === JSON.stringify(rebuilt) ? [] : ['S2-REPLAY: the rebuilt index differs']),
  ]
}
