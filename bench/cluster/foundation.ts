/** (n5): the stores on their own: PostgreSQL writing index rows, JetStream handing out jobs. */
import { setTimeout as wait } from 'node:timers/promises'
import type { ProviderName, RouteId } from '../../src/domain/ids.ts'
import type { Fact } from '../../src/domain/message/events.ts'
import { toSearchable } from '../../src/domain/message/searchable.ts'
import { fold } from '../../src/domain/message/state.ts'
import { openNatsEngine } from '../../src/engines/nats/nats.ts'
import { openPostgresIndex } from '../../src/engines/postgres/postgres.ts'
import { instant } from '../../src/lib/time.ts'
import type { Position } from '../../src/ports/event-log.ts'
import type { Projection } from '../../src/ports/message-index.ts'
import type { Job, Queue } from '../../src/ports/queue.ts'
import type { Options } from '../options.ts'
import { openBroker } from './broker.ts'
import type { Postgres } from './postgres.ts'
import { sealer, toSample } from './sample.ts'

/** Rows per second of new messages, and of the same messages once they are delivered. */
export type Rows = Readonly<{ perStatement: number; inserted: number; updated: number }>

export type Foundation = Readonly<{
  rows: readonly Rows[]
  /** Put one by one, then taken and acknowledged until none is left. */
  jobs: Readonly<{ count: number; put: number; takenAndDone: number }>
}>

const ROWS = { quick: 4_000, full: 20_000 }
const JOBS = { quick: 10_000, full: 50_000 }
const PER_STATEMENT = [16, 128, 1_000] as const
/** The default of POMBO_CONCURRENCY. */
const CONCURRENCY = 512
const DRAIN_MS = 60_000

export async function measureFoundation(postgres: Postgres, { quick }: Options): Promise<Foundation> {
  const size = quick ? 'quick' : 'full'
  const rows: Rows[] = []
  for (const perStatement of PER_STATEMENT) rows.push(await measureRows(postgres, perStatement, ROWS[size]))
  return { rows, jobs: await measureJobs(JOBS[size]) }
}

async function measureRows(postgres: Postgres, perStatement: number, count: number): Promise<Rows> {
  await using database = await postgres.database()
  await using opened = await openPostgresIndex({ url: database.appUrl, connections: 1 })
  const fresh: Projection[] = []
  for (let nth = 1; nth <= count; nth += 1) fresh.push(await toProjection(nth))
  const delivered = fresh.map((projection) => toDelivered(projection, count))
  const write = (rows: readonly Projection[]): Promise<number> =>
    rate(rows.length, async () => {
      for (let start = 0; start < rows.length; start += perStatement) {
        const page = rows.slice(start, start + perStatement)
        await opened.index.apply(page, page.at(-1)?.position ?? (0 as Position))
      }
    })
  return { perStatement, inserted: await write(fresh), updated: await write(delivered) }
}

async function toProjection(nth: number): Promise<Projection> {
  const { event, content } = await toSample(nth)
  const { tenantId } = event.state
  const searchable = toSearchable(content, (to) => sealer.blind(tenantId, to), false)
  return { state: event.state, position: nth as Position, searchable }
}

const LATER: readonly Fact[] = [
  { kind: 'HandoffAttempted', provider: 'simulator' as ProviderName, routeId: 'default' as RouteId, owner: 'bench' },
  { kind: 'HandoffAccepted', providerMessageId: 'SM0123456789abcdef', by: 'answer' },
  { kind: 'ProviderDelivered', reportId: 'report', providerMessageId: 'SM0123456789abcdef' },
]

/** The projection of a delivered message. */
function toDelivered({ state, position }: Projection, after: number): Projection {
  const folded = LATER.reduce(
    (before, fact) => fold(before, fact, { at: instant(Date.now()), cycle: 1, attempt: 1 }),
    state,
  )
  return { state: folded, position: (position + after) as Position }
}

async function measureJobs(count: number): Promise<Foundation['jobs']> {
  await using broker = await openBroker({ sync: 'default' })
  const clock = () => instant(Date.now())
  await using engine = await openNatsEngine({ url: broker.url, sealer, clock, indexBodies: false })
  const jobs: Job[] = []
  for (let nth = 1; nth <= count; nth += 1) {
    const { state } = (await toSample(nth)).event
    jobs.push({ messageId: state.id, tenantId: state.tenantId, lane: state.lane })
  }
  const put = await rate(count, () => putAll(engine.queue, jobs))
  const takenAndDone = await rate(count, () => drain(engine.queue, count))
  return { count, put, takenAndDone }
}

async function putAll(queue: Queue, jobs: readonly Job[]): Promise<void> {
  const left = jobs.values()
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const job of left) await queue.put(job)
    }),
  )
}

/** Waits until the broker has applied every acknowledgement. */
async function drain(queue: Queue, count: number): Promise<void> {
  const stop = AbortSignal.timeout(DRAIN_MS)
  for (let taken = 0; taken < count; ) {
    const some = await queue.take(CONCURRENCY, stop)
    if (stop.aborted) throw new Error(`the queue was not drained within ${DRAIN_MS / 1000} s`)
    for (const one of some) await queue.done(one)
    taken += some.length
  }
  while (!stop.aborted && (await isLeft(queue))) await wait(1)
}

const isLeft = async (queue: Queue): Promise<boolean> =>
  (await queue.depth()).some(({ ready, taken }) => ready + taken > 0)

async function rate(count: number, act: () => Promise<void>): Promise<number> {
  const begunAt = performance.now()
  await act()
  return (count * 1000) / (performance.now() - begunAt)
}
