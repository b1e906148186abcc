/** What is counted, and by what. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { USAGE_TEXTS } from '../../texts/usage.ts'
import { toCountryName } from '../../ui/country.ts'
import type { UsageItem } from './data.ts'

const T = USAGE_TEXTS

export const METRICS = ['messages', 'segments', 'sent_messages', 'sent_segments'] as const
export type Metric = (typeof METRICS)[number]
export type Dimension = 'channel' | 'country' | 'provider' | 'account'
export type Measure = Readonly<{ by: Dimension; metric: Metric }>

/** Only admins see other accounts. */
export const dimensionsOf = (isAdmin: boolean): readonly Dimension[] => [
  ...(['channel', 'country', 'provider'] as const),
  ...(isAdmin ? (['account'] as const) : []),
]

export const toDimension = (text: string | undefined, known: readonly Dimension[]): Dimension =>
  known.find((one) => one === text) ?? 'channel'

export const toMetric = (text: string | undefined): Metric => METRICS.find((one) => one === text) ?? 'messages'

/** No provider has been chosen when a message is accepted, so by provider only what was sent counts. */
export const measureOf = (by: Dimension, metric: Metric): Measure => ({
  by,
  metric: by !== 'provider' || metric.startsWith('sent_') ? metric : (`sent_${metric}` as Metric),
})

/** The name of an item's group. */
export function nameOf(item: UsageItem, by: Dimension): string {
  switch (by) {
    case 'channel':
      return item.channel === undefined ? T.unknown.channel : COMMON_TEXTS.channels[item.channel]
    case 'country':
      return item.country ? toCountryName(item.country) : T.unknown.country
    case 'provider':
      return item.provider ?? T.unknown.provider
    case 'account':
      return item.account_id ?? T.unknown.account
  }
}
