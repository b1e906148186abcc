/** Queries of the overview and their refresh intervals. */
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { useLive } from '../../api/live.ts'
import type { components } from '../../api/schema.gen.d.ts'
import { sum } from '../../ui/numbers.ts'
import type { ErrorCount } from '../providers/data.ts'
import { type Extent, type Range, refreshMsOf, type Window, windowBefore, windowOf } from './range.ts'

export type Stats = components['schemas']['Stats']
export type Bucket = components['schemas']['StatsBucket']
export type Latency = components['schemas']['Latency']
export type Channel = components['schemas']['Channel']
export type Filter = Readonly<{ channel?: Channel; provider?: string }>

const LIVE = ['figures', 'live'] as const
const BEFORE = ['figures', 'before'] as const
/** The time window moves even when nothing happens. */
const IDLE_MS = 15_000
const BEFORE_MS = 60_000
/** How soon the first message shows. */
const EMPTY_MS = 2_000
/** The largest page of the list. Higher counts are shown as `200+`. */
export const COUNT_LIMIT = 200
/** The index lags a live event by a moment. */
const INDEXED_MS = 400

const matches = (
  { channel, provider }: Filter,
  one: Readonly<{ channel: Channel; provider: string | null }>,
): boolean =>
  (channel === undefined || one.channel === channel) && (provider === undefined || one.provider === provider)

export const pick = (stats: Stats, filter: Filter): Stats => ({
  ...stats,
  buckets: stats.buckets.filter((bucket) => matches(filter, bucket)),
})

const fetchStats = (query: Window) => unwrap(api.GET('/v1/stats', { params: { query } }))

const [HOUR_MS, WEEK_MS] = [3_600_000, 7 * 86_400_000]

/** `extent` is undefined if nothing was sent in the last week, and `hasAny` tells whether anything ever was. */
export type Age = Readonly<{ extent: Extent | undefined; hasAny: boolean }>

/** The statistics of a week in steps of three hours; those of the first step in minutes, if it is recent. */
async function fetchAge(): Promise<Age> {
  const now = Date.now()
  const week = await fetchStats(windowOf('7d', now))
  const starts = week.buckets.map(({ start }) => Date.parse(start))
  if (starts.length === 0) return { extent: undefined, hasAny: await hasMessages() }
  const [oldest, newest] = [Math.min(...starts), Math.max(...starts) + 3 * HOUR_MS]
  if (now - oldest > 24 * HOUR_MS) return { extent: { oldestMs: oldest, newestMs: newest }, hasAny: true }
  const query = { from: new Date(Math.max(oldest, now - WEEK_MS)).toISOString(), to: new Date(now).toISOString() }
  const { buckets } = await fetchStats({ ...query, bucket: 60 })
  return {
    extent: { oldestMs: Math.min(now, ...buckets.map(({ start }) => Date.parse(start))), newestMs: newest },
    hasAny: true,
  }
}

const hasMessages = async (): Promise<boolean> =>
  (await unwrap(api.GET('/v1/messages', { params: { query: { limit: 1 } } }))).items.length > 0

export const useAge = () =>
  useQuery({
    queryKey: ['figures', 'age'],
    queryFn: fetchAge,
    refetchInterval: ({ state: { data } }) => (data?.hasAny === true ? BEFORE_MS : EMPTY_MS),
  })

export const useStats = (range: Range) =>
  useQuery({
    queryKey: [...LIVE, 'stats', range],
    queryFn: () => fetchStats(windowOf(range, Date.now())),
    refetchInterval: Math.max(IDLE_MS, refreshMsOf(range)),
    placeholderData: keepPreviousData,
  })

/** The period before, in the same steps. */
export const useStatsBefore = (range: Range) =>
  useQuery({
    queryKey: [...BEFORE, 'stats', range],
    queryFn: () => fetchStats(windowBefore(range, Date.now())),
    refetchInterval: BEFORE_MS,
  })

const fetchDead = async (query: Readonly<{ from?: string; to?: string }>): Promise<readonly ErrorCount[]> =>
  (await unwrap(api.GET('/v1/stats/errors', { params: { query: { ...query, dead: true } } }))).items

async function countUnknown(filter: Filter, window?: Window): Promise<number> {
  const created = window === undefined ? {} : { created_from: window.from, created_to: window.to }
  const query = { ...filter, ...created, unknown: true, limit: COUNT_LIMIT }
  return (await unwrap(api.GET('/v1/messages', { params: { query } }))).items.length
}

export type Stuck = Readonly<{ unknown: number; dead: number }>

async function fetchStuck(filter: Filter, window: Window): Promise<Stuck> {
  const [unknown, dead] = await Promise.all([
    countUnknown(filter, window),
    fetchDead({ from: window.from, to: window.to }),
  ])
  return { unknown, dead: sum(dead.filter((one) => matches(filter, one)).map(({ count }) => count)) }
}

export const useStuck = (range: Range, filter: Filter) =>
  useQuery({
    queryKey: [...LIVE, 'stuck', range, filter],
    queryFn: () => fetchStuck(filter, windowOf(range, Date.now())),
  })

export const useStuckBefore = (range: Range, filter: Filter) =>
  useQuery({
    queryKey: [...BEFORE, 'stuck', range, filter],
    queryFn: () => fetchStuck(filter, windowBefore(range, Date.now())),
    refetchInterval: BEFORE_MS,
  })

/** What is stuck now, regardless of the selected range. */
export const useStuckNow = () =>
  useQuery({
    queryKey: [...LIVE, 'now'],
    queryFn: async (): Promise<Stuck> => {
      const [unknown, dead] = await Promise.all([countUnknown({}), fetchDead({})])
      return { unknown, dead: sum(dead.map(({ count }) => count)) }
    },
    refetchInterval: IDLE_MS,
  })

const refresh = (queries: QueryClient) =>
  queries.invalidateQueries({ queryKey: LIVE }, { cancelRefetch: false, throwOnError: false })

/** Refreshes on live events, no more often than the range requires. */
export function useFreshFigures(range: Range): void {
  const queries = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const last = useRef(0)
  useLive(() => {
    if (timer.current !== undefined) return
    const waitMs = Math.max(INDEXED_MS, last.current + refreshMsOf(range) - Date.now())
    timer.current = setTimeout(() => {
      timer.current = undefined
      last.current = Date.now()
      void refresh(queries)
    }, waitMs)
  })
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
}
