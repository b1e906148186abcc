/** The traffic of each provider over the last hour, in steps for small charts. */
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client.ts'
import type { paths } from '../../api/schema.gen.d.ts'
import { successOf, type Tally, tally } from './tally.ts'

type Stats = paths['/v1/stats']['get']['responses']['200']['content']['application/json']

const [HOUR_SECONDS, STEP_SECONDS, EVERY_MS] = [3_600, 120, 15_000]

const toIso = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** The tenant's own messages. */
export const useLastHour = () =>
  useQuery({
    queryKey: ['providers', 'last-hour'],
    queryFn: () => {
      const to = Math.ceil(Date.now() / 1000 / STEP_SECONDS) * STEP_SECONDS
      const query = { from: toIso(to - HOUR_SECONDS), to: toIso(to), bucket: STEP_SECONDS }
      return unwrap(api.GET('/v1/stats', { params: { query } }))
    },
    refetchInterval: EVERY_MS,
  })

export type HourOf = Readonly<{
  counted: Tally
  volumes: readonly number[]
  deliveryRates: readonly (number | null)[]
  /** Of the channel with the longer one. */
  p95s: readonly (number | null)[]
}>

export function hourOf({ from, bucket, buckets }: Stats, providers: readonly string[]): HourOf {
  const own = buckets.filter(({ provider }) => provider !== null && providers.includes(provider))
  const byStep = Map.groupBy(own, ({ start }) => Math.floor((Date.parse(start) - Date.parse(from)) / 1000 / bucket))
  const steps = Array.from({ length: HOUR_SECONDS / STEP_SECONDS }, (_, nth) => byStep.get(nth) ?? [])
  const tallies = steps.map((found) => addUp(found.map(({ statuses }) => statuses)))
  return {
    counted: addUp(own.map(({ statuses }) => statuses)),
    volumes: tallies.map(({ messages }) => messages),
    deliveryRates: tallies.map((counted) => successOf(counted) ?? null),
    p95s: steps.map((found) => {
      const measured = found.flatMap(({ accept_to_handoff: latency }) => latency?.p95_ms ?? [])
      return measured.length === 0 ? null : Math.max(...measured)
    }),
  }
}

function addUp(all: readonly Stats['buckets'][number]['statuses'][]): Tally {
  const added: Record<string, number> = {}
  for (const statuses of all)
    for (const [status, count] of Object.entries(statuses)) added[status] = (added[status] ?? 0) + count
  return tally(added)
}
