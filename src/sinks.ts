/** Wires the sinks of the configuration file. The client of a broker is loaded only if a sink needs it. */
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { SinkConfig } from './config/sink-settings.ts'
import { omitUndefined } from './lib/omit-undefined.ts'
import { type SinkMetricsDeps, sinkMetrics } from './observe/metrics/sink-metrics.ts'
import { SinkObserver } from './observe/sink-observer.ts'
import type { EventLog } from './ports/event-log.ts'
import type { Sink } from './ports/sink.ts'
import type { DependencyHealth } from './profiles/health.ts'
import { SinkWorker, type SinkWorkerDeps } from './workers/sink-worker.ts'

export type SinksDeps = Readonly<{
  log: SinkWorkerDeps['log'] & Pick<EventLog, 'tip'>
  registry: Registry
  logger: Logger
}>

export type Sinks = Readonly<{
  /** By name, as health checks show them. */
  health: () => Readonly<Record<string, DependencyHealth>>
  /** One worker for each sink. */
  start: (world: Omit<SinkWorkerDeps, 'observer'>) => readonly SinkWorker[]
}>

export function openSinks(configs: readonly SinkConfig[], { log, registry, logger }: SinksDeps): Sinks {
  const workers = new Map<SinkConfig, SinkWorker>()
  const running: SinkMetricsDeps['sinks'] = () =>
    configs.flatMap((config) => {
      const position = workers.get(config)?.position
      const isUp = observers.get(config)?.problem === undefined
      return position === undefined ? [] : [{ name: config.name, position, isUp }]
    })
  const onPublished = configs.length === 0 ? () => undefined : sinkMetrics({ registry, log, sinks: running })
  const observers = new Map(configs.map((config) => [config, new SinkObserver({ logger, onPublished }, config)]))
  return {
    health: () =>
      Object.fromEntries(
        [...observers].map(([{ name }, { problem }]) => [
          `sink_${name}`,
          omitUndefined({ ok: problem === undefined, detail: problem }),
        ]),
      ),

    start: (world) =>
      [...observers].map(([config, observer]) => {
        const { name, types } = config
        const plan = { name, types: new Set(types), open: () => openSink(config) }
        const worker = new SinkWorker({ ...world, observer }, plan)
        workers.set(config, worker)
        return worker
      }),
  }
}

async function openSink({ kind, settings, types }: SinkConfig): Promise<Sink> {
  switch (kind) {
    case 'kafka': {
      const { openKafkaSink } = await import('./engines/kafka/sink.ts')
      return openKafkaSink({ prefix: '', tls: false, ...settings })
    }
    case 'amqp': {
      const { openAmqpSink } = await import('./engines/amqp/sink.ts')
      return openAmqpSink({ prefix: '', ...settings })
    }
    case 'nats': {
      const { openNatsSink } = await import('./engines/nats/sink.ts')
      return openNatsSink({ prefix: '', ...settings, types })
    }
  }
}
