/** The messages received by the simulated phones and mailboxes. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { useLive } from '../../api/live.ts'
import type { components } from '../../api/schema.gen.d.ts'
import { openPace, type Pace } from '../messages/pace.ts'

export type Received = components['schemas']['SimulatorMessage']

const NEWEST = 300
const IN_THREAD = 100
const REFRESH_MS = 400
/** A message may arrive without an event, for example when the provider call times out. */
const POLL_MS = 5_000
const INBOX = ['simulator', 'inbox'] as const

/** Newest first, both channels. */
export const useInbox = () =>
  useQuery({
    queryKey: INBOX,
    queryFn: () => unwrap(api.GET('/v1/simulator/inbox', { params: { query: { limit: NEWEST } } })),
    refetchInterval: POLL_MS,
  })

/** Fetched separately, because it may not be among the newest messages. */
export const useThread = (to: string | undefined) =>
  useQuery({
    queryKey: [...INBOX, to],
    queryFn: () => unwrap(api.GET('/v1/simulator/inbox', { params: { query: { to: to ?? '', limit: IN_THREAD } } })),
    enabled: to !== undefined,
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  })

/** Refreshes on live events at a limited rate. */
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

/** Threads with the newest messages first. */
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
