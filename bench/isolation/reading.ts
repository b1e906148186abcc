/** One tenant searches and opens event streams, many at once; another one lists and sends meanwhile. */
import { setTimeout as wait } from 'node:timers/promises'
import type { LoadReport } from '../load.ts'
import { type LoadPlan, openLoad } from '../measure.ts'
import { BATCH_ITEMS, newRun, TEXT } from '../messages.ts'
import type { Options } from '../options.ts'
import { type Gateway, openGateway } from '../server.ts'
import { type Tenant, tenantOf } from './tenants.ts'

export type Reading = Readonly<{
  /** The lists of the other tenant, as usual and beside the searches, in turns. */
  rounds: readonly Readonly<{ usual: LoadReport; beside: LoadReport }>[]
  /** The answers to the searches by status. */
  searches: Readonly<Record<string, number>>
}>

export type Streaming = Readonly<{
  /** The seconds until the messages of the other tenant are delivered, as usual and beside the streams. */
  usualSeconds: number
  besideSeconds: number
  /** The answers to the attempts to open a stream by status. */
  streams: Readonly<Record<string, number>>
}>

/** How much both tenants have stored. */
const BATCHES = 20
const SEARCHES = 300
const LISTS_PER_SECOND = 50
const LIST_CONNECTIONS = 16
const STREAMS = 1_000
const STREAMED_BATCHES = 3
const LOOK_MS = 5
const MAX_LOOKS = 12_000

export async function measureReading({ runs, seconds }: Pick<Options, 'runs' | 'seconds'>): Promise<Reading> {
  await using gateway = await openGateway()
  const [attacker, victim] = [tenantOf(gateway, 'attacker'), tenantOf(gateway, 'victim')]
  for (const tenant of [attacker, victim]) await sendAndWait(gateway, tenant, BATCHES)
  // Once more than is measured: a new gateway is slower.
  await list(gateway, victim, Math.ceil(seconds / 2))
  const rounds: { usual: LoadReport; beside: LoadReport }[] = []
  const searches: Record<string, number> = {}
  for (let nth = 0; nth < runs; nth += 1) {
    const usual = await list(gateway, victim, seconds)
    await using searching = await openLoad(toSearches(gateway, attacker, seconds + 3))
    await searching.started
    rounds.push({ usual, beside: await list(gateway, victim, seconds) })
    for (const [status, count] of Object.entries((await searching.report).statuses)) {
      searches[status] = (searches[status] ?? 0) + count
    }
  }
  return { rounds, searches }
}

async function list({ ports }: Gateway, { headers }: Tenant, seconds: number): Promise<LoadReport> {
  const pace: LoadPlan['pace'] = { kind: 'open', rate: LISTS_PER_SECOND, arrivals: 'poisson' }
  const request = { method: 'GET', path: '/v1/messages?limit=50', headers, body: '' } as const
  await using load = await openLoad({ ports, request, connections: LIST_CONNECTIONS, pace, warmUpSeconds: 1, seconds })
  return await load.report
}

function toSearches({ ports }: Gateway, { headers }: Tenant, seconds: number): Parameters<typeof openLoad>[0] {
  const paths = ['q=parcel', 'q=order', 'tag=parcel', 'status=delivered&limit=200'].map(
    (query) => `/v1/messages?${query}`,
  )
  const request = { method: 'GET', path: paths, headers, body: '' } as const
  return { ports, request, connections: SEARCHES, pace: { kind: 'closed' }, warmUpSeconds: 0, seconds }
}

export async function measureStreaming(): Promise<Streaming> {
  await using gateway = await openGateway()
  const [attacker, victim] = [tenantOf(gateway, 'attacker'), tenantOf(gateway, 'victim')]
  // Twice: a new gateway is slower.
  await sendAndWait(gateway, victim, STREAMED_BATCHES)
  const usualSeconds = await sendAndWait(gateway, victim, STREAMED_BATCHES)
  const leaving = new AbortController()
  const streams: Record<string, number> = {}
  const reading: Promise<void>[] = []
  for (let nth = 0; nth < STREAMS; nth += 1) {
    const { status, body } = await fetch(`http://127.0.0.1:${gateway.port}/v1/events`, {
      headers: attacker.headers,
      signal: leaving.signal,
    })
    streams[status] = (streams[status] ?? 0) + 1
    if (status === 200 && body !== null) reading.push(body.pipeTo(new WritableStream()).catch(() => undefined))
  }
  const besideSeconds = await sendAndWait(gateway, victim, STREAMED_BATCHES)
  leaving.abort()
  await Promise.all(reading)
  return { usualSeconds, besideSeconds, streams }
}

/** Returns the seconds until all of them are delivered. */
async function sendAndWait({ metrics }: Gateway, tenant: Tenant, batches: number): Promise<number> {
  const before = (await metrics()).delivered
  const begunAt = performance.now()
  for (let nth = 0; nth < batches; nth += 1) {
    const { status } = await tenant.ask('POST', '/v1/messages/batch', toTaggedBatch())
    if (status !== 200) throw new Error(`a batch was refused with ${status}`)
  }
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if ((await metrics()).delivered - before >= batches * BATCH_ITEMS) return (performance.now() - begunAt) / 1000
    await wait(LOOK_MS)
  }
  throw new Error('the messages were not delivered')
}

/** With tags and metadata, which can be searched. */
function toTaggedBatch(): object {
  const run = newRun()
  const items = Array.from({ length: BATCH_ITEMS }, (_, nth) => ({
    to: `+5511${String(nth).padStart(8, '0')}`,
    message: TEXT,
    tags: ['parcel'],
    metadata: { order: `order ${run} ${nth}` },
    idempotency_key: `reading-${run}-${nth}`,
  }))
  return { items }
}
