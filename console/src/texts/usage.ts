/** Texts of the page: usage. */
import { plural } from './plural.ts'

export const USAGE_TEXTS = {
  about: 'What your account has sent, for bills. Days are in UTC. Usage stays when messages are erased or deleted.',
  aboutAll: 'What all accounts have sent, for bills. Days are in UTC. Usage stays when messages are erased or deleted.',
  period: 'Period',
  periods: { month: 'This month', 'last-month': 'Last month', custom: 'Custom' },
  days: 'Days',
  by: 'Grouped by',
  dimensions: { channel: 'Channel', country: 'Country', provider: 'Provider', account: 'Account' },
  metric: 'Chart shows',
  metrics: {
    messages: 'Accepted messages',
    segments: 'Accepted segments',
    sent_messages: 'Sent messages',
    sent_segments: 'Sent segments',
  },
  metricsMean: {
    messages: 'Accepted by Pombo',
    segments: 'Parts of SMS; one for an email',
    sent_messages: 'Taken by a provider, each time',
    sent_segments: 'Parts that providers bill',
  },
  unknown: { channel: 'Other', country: 'No country', provider: 'Not sent yet', account: 'Other' },
  rest: (count: number) => plural(count, 'other'),
  chartTitle: (metric: string, dimension: string) => `${metric} by ${dimension.toLowerCase()}`,
  summary: (all: string, most: string, day: string) => `${all} in this period. Most in a day: ${most} on ${day}.`,
  total: 'Total',
  none: 'Nothing was sent in this period.',
  csv: 'Download CSV',
} as const
