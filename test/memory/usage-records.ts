/** Usage records in memory, for tests: counts all events anew. */
import type { MessageEvent } from '../../src/domain/message/events.ts'
import { dayOf, toHandoff } from '../../src/domain/message/usage.ts'
import type { UsageDimension, UsageRecord, UsageRecords } from '../../src/ports/usage-records.ts'
import type { MemoryEventLog } from './event-log.ts'

type Counted = Readonly<Record<UsageDimension, string | number>> & Readonly<{ sent: boolean; segments: number }>

export const memoryUsageRecords = (log: Pick<MemoryEventLog, 'everything'>): UsageRecords => ({
  async list({ tenantId, accountId, from, to, groupBy, after, limit }) {
    const counted = log
      .everything()
      .filter(({ state }) => state.tenantId === tenantId && (accountId ?? state.accountId) === state.accountId)
      .flatMap(toCounted)
      .filter(({ day }) => Number(day) >= from && Number(day) <= to)
    const keyOf = (one: Counted) => groupBy.map((dimension) => one[dimension])
    const groups = Map.groupBy(counted, (one) => JSON.stringify(keyOf(one)))
    return [...groups.values()]
      .flatMap((group) => (group[0] === undefined ? [] : [toRecord(keyOf(group[0]), group)]))
      .toSorted(({ key: one }, { key: other }) => compare(one, other))
      .filter(({ key }) => after === undefined || compare(key, after) > 0)
      .slice(0, limit)
  },
})

function toCounted({ fact, at, state, ...event }: MessageEvent): readonly Counted[] {
  const { accountId: account, channel, country = '', segments } = state
  const common = { day: dayOf(at), account, channel, country, segments }
  if (fact.kind === 'MessageCreated') return [{ ...common, provider: '', sent: false }]
  const handoff = toHandoff({ ...event, fact, at, state })
  return handoff === undefined ? [] : [{ ...common, provider: handoff.provider ?? '', sent: true }]
}

function toRecord(key: UsageRecord['key'], group: readonly Counted[]): UsageRecord {
  const [sent, accepted] = [group.filter((one) => one.sent), group.filter((one) => !one.sent)]
  const segmentsOf = (some: readonly Counted[]): number => some.reduce((sum, { segments }) => sum + segments, 0)
  return {
    key,
    messages: accepted.length,
    segments: segmentsOf(accepted),
    sentMessages: sent.length,
    sentSegments: segmentsOf(sent),
  }
}

function compare(one: UsageRecord['key'], other: UsageRecord['key']): number {
  const index = one.findIndex((value, nth) => value !== other[nth])
  const [a, b] = [one[index], other[index]]
  if (a === undefined || b === undefined) return 0
  return a < b ? -1 : 1
}
