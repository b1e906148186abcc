/** What the simulated handsets and mailboxes received, and who has it. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, take } from '../../api/client.ts'
import { useLive } from '../../api/live.ts'
import type { paths } from '../../api/schema.gen.d.ts'
import { openPace, type Pace } from '../messages/pace.ts'

export type Received =
  paths['/v1/simulator/inbox']['get']['responses']['200']['content']['application/json']['items'][number]

const NEWEST = 300
const IN_THREAD = 100
const REFRESH_MS = 400
/** What a handset gets is not always told: a call may time out after it. */
const ANYWAY_MS = 5_000
const INBOX = ['simulator', 'inbox'] as const

/** Newest first, of both channels. */
export const useInbox = () =>
  useQuery({
    queryKey: INBOX,
    queryFn: () => take(api.GET('/v1/simulator/inbox', { params: { query: { limit: NEWEST } } })),
    refetchInterval: ANYWAY_MS,
  })

/** One handset: it may be too quiet to be among the newest. */
export const useThread = (to: string | undefined) =>
  useQuery({
    queryKey: [...INBOX, to],
    queryFn: () => take(api.GET('/v1/simulator/inbox', { params: { query: { to: to ?? '', limit: IN_THREAD } } })),
    enabled: to !== undefined,
    refetchInterval: ANYWAY_MS,
    placeholderData: keepPreviousData,
  })

/** Looks again when something happens, at a pace that a busy gateway does not quicken. */
export function useFreshInbox(): void {
  const queries = useQueryClient()
  const pace = useRef<Pace>(undefined)
  useEffect(() => {
    const opened = openPace(() => queries.invalidateQueries({ queryKey: INBOX }), REFRESH_MS)
    pace.current = opened
    return opened.stop
  }, [queries])
  useLive(() => pace.current?.ask())
}

export type Thread = Readonly<{ to: string; newest: Received; count: number }>

/** Those with the newest messages first. */
export function toThreads(received: readonly Received[]): readonly Thread[] {
  const threads = new Map<string, Thread>()
  for (const message of received) {
    if (message.channel !== 'sms') continue
    const known = threads.get(message.to)
    threads.set(message.to, { to: message.to, newest: known?.newest ?? message, count: (known?.count ?? 0) + 1 })
  }
  return [...threads.values()]
}

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
export const toTime = (at: string): string => TIME.format(new Date(at))
