/**
 * A histogram of durations, in seconds. It counts in plain numbers and renders them when it is scraped, because the one
 * of prom-client validates and hashes the labels of every observation.
 */
import type { Histogram, MetricValueWithName, Registry } from 'prom-client'
import { LabelTree, toLabels } from './label-tree.ts'

export type Observe = (seconds: number) => void

export type DurationsOptions = Readonly<{
  name: string
  help: string
  /** The upper bounds of the buckets, ascending. */
  buckets: readonly number[]
  labelNames?: readonly string[]
}>

/**
 * Returns a function that finds the series with these values of the labels, in their order. A series with labels is
 * exported from its first observation on.
 */
export function durations(
  registers: readonly Registry[],
  { name, help, buckets, labelNames = [] }: DurationsOptions,
): (...values: readonly string[]) => Observe {
  const tree = new LabelTree((values) => {
    const series = new Series(buckets, toLabels(labelNames, values))
    return { series, observe: (seconds: number): void => series.observe(seconds) }
  })
  const metric = {
    name,
    help,
    labelNames,
    get: async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: tree.leaves.filter(({ series }) => series.isExported).flatMap(({ series }) => series.toValues(name)),
    }),
    reset: () => {
      for (const { series } of tree.leaves) series.reset()
    },
  }
  // A registry needs no more of a metric than this.
  for (const registry of registers) registry.registerMetric(metric as unknown as Histogram)
  if (labelNames.length === 0) tree.at([])
  return (...values) => tree.at(values).observe
}

class Series {
  readonly #bounds: readonly number[]
  readonly #labels: Readonly<Record<string, string>>
  /** The last one counts what is above all bounds. */
  readonly #counts: number[]
  #count = 0
  #sum = 0

  constructor(bounds: readonly number[], labels: Readonly<Record<string, string>>) {
    this.#bounds = bounds
    this.#labels = labels
    this.#counts = Array(bounds.length + 1).fill(0)
  }

  get isExported(): boolean {
    return this.#count > 0 || Object.keys(this.#labels).length === 0
  }

  observe(seconds: number): void {
    let at = 0
    while (at < this.#bounds.length && seconds > (this.#bounds[at] ?? 0)) at += 1
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#count += 1
    this.#sum += seconds
  }

  reset(): void {
    this.#counts.fill(0)
    this.#count = 0
    this.#sum = 0
  }

  /** Each bucket counts those of the smaller ones too. */
  toValues(name: string): MetricValueWithName<string>[] {
    const labels = this.#labels
    let below = 0
    const buckets = [...this.#bounds, '+Inf'].map((le, at) => {
      below += this.#counts[at] ?? 0
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: this.#count },
    ]
  }
}
