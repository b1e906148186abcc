/** Metrics to read, with or without a gateway that they belong to. */
import assert from 'node:assert/strict'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { observedLog } from '../../engines/decorators/observed-log.ts'
import { type GatewayOptions, openGateway } from '../../flows/gateway.fixture.ts'
import type { Clock } from '../../lib/clock.ts'
import { millis } from '../../lib/time.ts'
import { stopped } from '../../ports/samples.contract.ts'
import { type Metrics, type MetricsDeps, openMetrics } from './metrics.ts'

/** The metrics of an empty engine, read anew by every scrape unless `keep` is given. */
export function openTestMetrics(deps: Partial<MetricsDeps> = {}) {
  const metrics = openMetrics({ ...openMemoryEngine({ clock: stopped }), clock: stopped, keep: millis(0), ...deps })
  return { ...metrics, ...reading(metrics) }
}

/** A gateway with metrics. */
export function openMeasured(options: GatewayOptions = {}) {
  let metrics: Metrics | undefined
  const openEngine = ({ clock }: { clock: Clock }) => {
    const engine = openMemoryEngine({ clock })
    metrics = openMetrics({ ...engine, clock, keep: millis(0) })
    return { ...engine, log: observedLog(engine.log, metrics.observe) }
  }
  const gateway = openGateway({ openEngine, ids: openIds() }, options)
  assert.ok(metrics !== undefined)
  return { ...gateway, metrics, ...reading(metrics) }
}

function reading({ registry }: Metrics) {
  const valuesOf = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values ?? []
  return {
    /** The values of a counter or a gauge, by the values of their labels. */
    counts: async (name: string): Promise<Record<string, number>> =>
      Object.fromEntries((await valuesOf(name)).map(({ labels, value }) => [Object.values(labels).join(' '), value])),
    /** Count and sum of a histogram, or of the series with these values of its labels. */
    measured: async (name: string, series = ''): Promise<unknown[]> => {
      const named = (await valuesOf(name)) as { metricName?: string; value: number; labels: Record<string, string> }[]
      const own = named.filter(({ labels }) => Object.values(labels).join(' ') === series)
      return ['count', 'sum'].map((part) => own.find(({ metricName }) => metricName === `${name}_${part}`)?.value)
    },
  }
}
