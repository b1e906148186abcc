/** The gauges that read a store when they are scraped, unless they were read a moment ago. */
import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../lib/clock.ts'
import type { Millis } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { MessageIndex } from '../../ports/message-index.ts'
import type { Queue } from '../../ports/queue.ts'
import { freshFor } from './fresh-for.ts'

export type GaugesDeps = Readonly<{
  log: Pick<EventLog, 'tip'>
  queue: Pick<Queue, 'depth'>
  index: Pick<MessageIndex, 'position'>
  clock: Clock
  /** How long what was read from a store is exported. */
  keep: Millis
  /** The bytes of each store, by name. */
  storage?: () => Promise<Readonly<Record<string, number>>>
  /** The bytes of the disk that the stores are on, where the process can see it. */
  disk?: () => Promise<Readonly<{ size: number; free: number }>>
  /** Frames of the journal that are not in the tables yet, where there is a journal. */
  unfiledFrames?: () => number
  /** Whether the fallback decides limits, if the profile has one. */
  areLimitsDegraded?: () => boolean
}>

/** A store that is unreachable leaves its gauge empty or NaN; the others are still exported. */
export function gauges(deps: GaugesDeps, registers: Registry[]): void {
  queueGauge(deps, registers)
  indexLagGauge(deps, registers)
  storageGauge(deps, registers)
  diskGauges(deps, registers)
  const { areLimitsDegraded, unfiledFrames } = deps
  if (unfiledFrames !== undefined) {
    const help = 'Frames of the journal that are not in the tables yet'
    gauge(registers, 'pombo_journal_unfiled_frames', help, unfiledFrames)
  }
  if (areLimitsDegraded !== undefined) {
    const help = 'Whether PostgreSQL decides limits because Redis is unreachable'
    gauge(registers, 'pombo_limits_degraded', help, () => Number(areLimitsDegraded()))
  }
}

function gauge(registers: Registry[], name: string, help: string, read: () => number | Promise<number>): void {
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      this.set(await read())
    },
  })
}

function queueGauge({ queue, clock, keep }: GaugesDeps, registers: Registry[]): void {
  const read = freshFor(keep, clock, () => queue.depth())
  new Gauge({
    name: 'pombo_queue_jobs',
    help: 'Jobs in the queue',
    labelNames: ['lane', 'state'],
    registers,
    async collect() {
      const depths = await read().catch(() => [])
      this.reset()
      for (const { lane, ...counts } of depths) {
        for (const [state, count] of Object.entries(counts)) this.set({ lane, state }, count)
      }
    },
  })
}

function indexLagGauge({ log, index, clock, keep }: GaugesDeps, registers: Registry[]): void {
  const read = freshFor(keep, clock, async () => {
    const [tip, position] = await Promise.all([log.tip(), index.position()])
    return tip - position
  })
  const help = 'Events in the log that the index does not show yet'
  gauge(registers, 'pombo_index_lag_events', help, () => read().catch(() => Number.NaN))
}

function storageGauge({ storage, clock, keep }: GaugesDeps, registers: Registry[]): void {
  if (storage === undefined) return
  const read = freshFor(keep, clock, storage)
  new Gauge({
    name: 'pombo_storage_bytes',
    help: 'What a store occupies',
    labelNames: ['store'],
    registers,
    async collect() {
      const found = await read().catch(() => ({}))
      this.reset()
      for (const [store, bytes] of Object.entries(found)) this.set({ store }, bytes)
    },
  })
}

function diskGauges({ disk, clock, keep }: GaugesDeps, registers: Registry[]): void {
  if (disk === undefined) return
  const read = freshFor(keep, clock, disk)
  const part = (name: 'size' | 'free') => () =>
    read().then(
      (found) => found[name],
      () => Number.NaN,
    )
  gauge(registers, 'pombo_disk_size_bytes', 'The size of the disk with the data folder', part('size'))
  gauge(registers, 'pombo_disk_free_bytes', 'The free space on the disk with the data folder', part('free'))
}
