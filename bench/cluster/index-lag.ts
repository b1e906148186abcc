/**
 * (n3): the time from the broker's acknowledgement of an event until it is indexed. Both are sampled; an event counts as
 * acknowledged when it was last missing from the log, and as indexed when it was first seen in the index, so that the lag
 * is never underestimated.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { DEFAULT_PREFIX } from '../../src/config/cluster-settings.ts'
import { openNats } from '../../src/engines/nats/connection.ts'
import { JetStream } from '../../src/engines/nats/jetstream.ts'
import { namesFor } from '../../src/engines/nats/subjects.ts'
import { openPostgresIndex } from '../../src/engines/postgres/postgres.ts'
import { Histogram, type Latency, toLatency } from '../histogram.ts'
import type { Cluster } from './cluster.ts'

/** The highest position in a sample that started and ended at these times, in milliseconds. */
export type Look = Readonly<{ begunAt: number; endedAt: number; position: number }>

export type IndexLag = Readonly<{
  /** In milliseconds, over all events. */
  latency: Latency
  events: number
  /** Events that were never indexed. */
  unshown: number
  /** The sampling interval, by which the lag may be overestimated. */
  betweenMs: number
}>

const LOOK_MS = 10
const CATCH_UP_MS = 60_000

export type LagWatch = Readonly<{
  /** The lag of all events so far, once they are indexed. */
  lag: () => Promise<IndexLag>
}> &
  AsyncDisposable

export async function watchIndexLag({ natsUrl, postgresUrl }: Cluster): Promise<LagWatch> {
  await using opened = new AsyncDisposableStack()
  const js = new JetStream(opened.use(await openNats({ url: natsUrl })), 1)
  const { index } = opened.use(await openPostgresIndex({ url: postgresUrl, connections: 1 }))
  const stop = new AbortController()
  const seen: Readonly<Record<'log' | 'index', Look[]>> = { log: [], index: [] }
  const info = `STREAM.INFO.${namesFor(DEFAULT_PREFIX, 1).log}`
  const tip = async (): Promise<number> => (await js.api<{ state: { last_seq: number } }>(info)).state.last_seq
  const looking = Promise.all([
    watch(tip, seen.log, stop.signal),
    watch(() => index.position(), seen.index, stop.signal),
  ])
  // Reported to the caller that asks for the lag.
  looking.catch(() => undefined)
  opened.defer(async () => {
    stop.abort()
    await looking.catch(() => undefined)
  })
  const closing = opened.move()
  return {
    async lag() {
      const [end, deadline] = [await tip(), performance.now() + CATCH_UP_MS]
      while (performance.now() < deadline && (seen.index.at(-1)?.position ?? 0) < end) await wait(LOOK_MS)
      stop.abort()
      await looking
      return toLag(seen.log, seen.index, end)
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

async function watch(look: () => Promise<number>, looks: Look[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const begunAt = performance.now()
    const position = await look()
    looks.push({ begunAt, endedAt: performance.now(), position })
    await wait(LOOK_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** The lag of all events that were appended during sampling, up to the last one of interest. */
export function toLag(log: readonly Look[], index: readonly Look[], last: number): IndexLag {
  const lags = new Histogram()
  const [first, shownLast] = [(log[0]?.position ?? 0) + 1, index.at(-1)?.position ?? 0]
  let [missing, shown] = [0, 0]
  for (let event = first; event <= Math.min(last, shownLast); event += 1) {
    while ((log[missing + 1]?.position ?? event) < event) missing += 1
    while ((index[shown]?.position ?? event) < event) shown += 1
    lags.record(((index[shown]?.endedAt ?? 0) - (log[missing]?.begunAt ?? 0)) * 1000)
  }
  const unshown = Math.max(0, last - Math.max(first - 1, shownLast))
  return { latency: toLatency(lags), events: lags.count, unshown, betweenMs: between(log) + between(index) }
}

const between = (looks: readonly Look[]): number =>
  ((looks.at(-1)?.begunAt ?? 0) - (looks[0]?.begunAt ?? 0)) / Math.max(looks.length - 1, 1)
