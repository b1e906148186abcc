/** What sinks have published, and how far they are behind. Only the process that publishes on a sink reports its lag. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { SinkName } from '../../domain/ids.ts'
import type { EventLog, Position } from '../../ports/event-log.ts'

export type SinkMetricsDeps = Readonly<{
  registry: Registry
  log: Pick<EventLog, 'tip'>
  /** The sinks that this process publishes on, how far, and whether their brokers answer. */
  sinks: () => Iterable<Readonly<{ name: SinkName; position: Position; isUp: boolean }>>
}>

export type OnSinkPublished = (sink: SinkName, events: number) => void

export function sinkMetrics({ registry, log, sinks }: SinkMetricsDeps): OnSinkPublished {
  const registers = [registry]
  const published = new Counter({
    name: 'pombo_sink_events_total',
    help: 'Events that the broker of a sink has stored',
    labelNames: ['sink'],
    registers,
  })
  new Gauge({
    name: 'pombo_sink_up',
    help: 'Whether the broker of a sink takes events',
    labelNames: ['sink'],
    registers,
    collect() {
      this.reset()
      for (const { name, isUp } of sinks()) this.set({ sink: name }, Number(isUp))
    },
  })
  new Gauge({
    name: 'pombo_sink_lag_events',
    help: 'Events in the log that are not published on a sink yet',
    labelNames: ['sink'],
    registers,
    async collect() {
      this.reset()
      const tip = await log.tip().catch(() => Number.NaN)
      for (const { name, position } of sinks()) this.set({ sink: name }, Math.max(0, tip - position))
    },
  })
  return (sink, events) => published.inc({ sink }, events)
}
