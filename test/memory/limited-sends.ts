/** Refused sends in memory, for tests. */
import { instant } from '../../src/lib/time.ts'
import type { LimitedMinute, LimitedSends } from '../../src/ports/limited-sends.ts'

export function memoryLimitedSends(): LimitedSends {
  let all: readonly LimitedMinute[] = []
  return {
    async add(counts) {
      all = [...all, ...counts]
    },
    async stats({ tenantId, from, to, bucket }) {
      const wanted = all.filter((one) => one.tenantId === tenantId && one.minute >= from && one.minute < to)
      const groups = Map.groupBy(wanted, ({ minute, channel }) => `${minute - (minute % bucket)} ${channel}`)
      return [...groups]
        .map(([name, counts]) => {
          const [start, channel] = name.split(' ')
          const count = counts.reduce((sum, one) => sum + one.count, 0)
          return { start: instant(Number(start)), channel: channel as LimitedMinute['channel'], count }
        })
        .toSorted((one, other) => one.start - other.start || (one.channel < other.channel ? -1 : 1))
    },
    async forget(before) {
      all = all.filter(({ minute }) => minute >= before)
    },
  }
}
