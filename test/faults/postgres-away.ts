/** PostgreSQL stopped for a while: search says so, sending is not affected, and the index catches up. */
import { runPombo } from '../support/command.ts'
import type { Gateway } from '../support/gateway.ts'
import { inFlight } from '../support/in-hands.ts'
import { searchAll } from '../support/index-dump.ts'
import { untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { type Fault, type Scene, underLoad } from './fault.ts'
import { retryAfterOf, type SteadyLoad } from './load.ts'
import type { Site } from './site.ts'

/** So many of the messages that came after the stop are followed to their end, by the log alone. */
const SAMPLES = 10
const DELIVERED_WITHIN = { withinMs: 20_000, everyMs: 100 }
const INDEXED_WITHIN = { withinMs: 120_000, everyMs: 100 }
const READY_WITHIN = { withinMs: 30_000, everyMs: 100 }
/** What search is asked before and after the index is made anew. */
const QUERIES = [{}, { status: 'delivered' }, { tag: 'tag-1' }]

export const postgresAway: Fault = {
  name: 'postgres',
  promise: 'while PostgreSQL is away sending goes on, and afterwards the index is as if made anew',
  usual: { kills: 0, seconds: 60 },
  brief: { kills: 0, seconds: 4 },
  lacks: ({ cluster }) => (cluster.postgres.faults === undefined ? 'PostgreSQL is borrowed' : undefined),
  async harm({ site, load, plan, note }) {
    const { faults } = site.cluster.postgres
    if (faults === undefined) return ['there is no PostgreSQL of our own to stop']
    const before = load.promised.length
    await faults.stop()
    try {
      return await problemsUntil(performance.now() + plan.seconds * 1000, site, load)
    } finally {
      note('accepted while it was away', load.promised.length - before)
      await faults.start()
      await untilBack(site)
    }
  },
  afterwards: problemsOfRebuild,
}

/** Looks again and again whether what is sent now arrives, and what callers are told. */
async function problemsUntil(overAt: number, { apis }: Site, load: SteadyLoad): Promise<string[]> {
  const problems = new Set<string>()
  while (performance.now() < overAt) {
    const from = load.promised.length
    await underLoad(load, SAMPLES)
    const ids = load.promised.slice(from, from + SAMPLES).map(({ id }) => id)
    await inFlight(ids, (id) => untilStatus(apis[0], id, 'delivered', DELIVERED_WITHIN))
    for (const problem of (await inFlight(apis, problemsWhileAway)).flat()) problems.add(problem)
  }
  return [...problems]
}

type Readiness = Readonly<{ dependencies: Readonly<Record<string, Readonly<{ ok: boolean }>>> }>

async function problemsWhileAway(api: Gateway): Promise<string[]> {
  const search = await api.call<never>('GET', '/v1/messages')
  const ready = await api.call<Readiness>('GET', '/health/ready')
  const isTold = ready.body.dependencies['log']?.ok === true && ready.body.dependencies['index']?.ok === false
  return [
    ...(retryAfterOf(search) === undefined ? [`a search was answered ${search.status} ${search.text}`] : []),
    ...(ready.status === 200 && isTold ? [] : [`an api says of itself ${ready.status} ${ready.text}`]),
  ]
}

async function untilBack({ cluster }: Site): Promise<void> {
  const isBack = async (url: string): Promise<boolean> => {
    const response = await fetch(`${url}/health/ready`)
    return response.ok && ((await response.json()) as Readiness).dependencies['index']?.ok === true
  }
  for (const { name, url } of cluster.members) {
    await until(`${name} to have the index back`, () => isBack(url), READY_WITHIN)
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
    ...(count === earlier.size ? [] : [`${earlier.size} messages were taken, the index has ${count}`]),
    ...(JSON.stringify(before) === JSON.stringify(rebuilt) ? [] : ['S2-REPLAY: the rebuilt index is not what it was']),
  ]
}
