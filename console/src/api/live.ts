/**
 * What happens to messages, as it happens: one stream of events for the whole page, opened by the shell and shared by
 * all who listen. It is read with fetch, because a token travels in a header; it comes back by itself and goes on where
 * it was. Events are handed out once per frame, however many there are.
 */
import { useEffect, useRef } from 'react'
import { makeStore, useStore } from '../store.ts'
import { authorization } from './client.ts'
import { endSession } from './session.ts'
import { readFrames } from './sse.ts'

export type LiveEvent = Readonly<{
  name: string
  data: Readonly<{
    messageId: string
    previousStatus?: string | null
    newStatus?: string
    at?: string
    reason?: string
    attempt?: number
    failureReason?: string
  }>
}>

/** `forbidden`: the token may not read messages, and asking again would not change that. */
type LiveState = 'connecting' | 'live' | 'lost' | 'forbidden'

type Listener = (events: readonly LiveEvent[]) => void

const listeners = new Set<Listener>()
const state = makeStore<LiveState>('connecting')
const [SHORTEST_WAIT_MS, LONGEST_WAIT_MS] = [500, 5_000]
/** The gateway says something every 15 s though nothing happens. */
const SILENT_MS = 40_000
const HIDDEN_MS = 1_000

let running: AbortController | undefined
let lastId: string | undefined
let heardAt: number | undefined
let gathered: LiveEvent[] = []

/** Connects, and stays connected until the answer is called. */
export function openLive(): () => void {
  lastId = undefined
  heardAt = undefined
  state.set('connecting')
  tryNow()
  return () => running?.abort()
}

/** Does not wait for its turn. */
export function tryNow(): void {
  running?.abort()
  running = new AbortController()
  void follow(running.signal)
}

/** Calls with the events of each frame. */
export function useLive(listener: Listener): void {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => {
    const listen: Listener = (events) => latest.current(events)
    listeners.add(listen)
    return () => {
      listeners.delete(listen)
    }
  }, [])
}

export const useLiveState = (): LiveState => useStore(state)

/** When the gateway was last heard of; undefined where it never was. */
export const lastHeardAt = (): number | undefined => heardAt

/** A stream that merely ended is taken up again before anybody is told: what lies between may have its limits. */
async function follow(signal: AbortSignal): Promise<void> {
  for (let waitMs = SHORTEST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const end = await hear(signal)
    if (signal.aborted) return
    if (end === 'unauthenticated') return endSession()
    if (end === 'forbidden') return state.set('forbidden')
    if (end === 'ended') waitMs = SHORTEST_WAIT_MS
    else state.set('lost')
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    if (signal.aborted) return
  }
}

type End = 'ended' | 'broken' | 'unauthenticated' | 'forbidden'

/** One connection, from its beginning to its end. A network that went away does not end it: silence does. */
async function hear(signal: AbortSignal): Promise<End> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), SILENT_MS)
  const heard = (): void => {
    heardAt = Date.now()
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENT_MS)
  }
  try {
    const headers = { ...authorization(), ...(lastId === undefined ? {} : { 'last-event-id': lastId }) }
    const response = await fetch('/v1/events', { headers, signal: AbortSignal.any([signal, silence.signal]) })
    if (response.status === 401) return 'unauthenticated'
    if (response.status === 403) return 'forbidden'
    if (!response.ok || response.body === null) return 'broken'
    heard()
    state.set('live')
    for await (const frames of readFrames(response.body)) {
      heard()
      for (const frame of frames) take(frame)
    }
    return 'ended'
  } catch {
    return 'broken'
  } finally {
    clearTimeout(timer)
  }
}

function take(frame: ReadonlyMap<string, string>): void {
  lastId = frame.get('id') ?? lastId
  const [name, data] = [frame.get('event'), frame.get('data')]
  if (name === undefined || data === undefined) return
  if (gathered.length === 0) soon(handOut)
  gathered.push({ name, data: JSON.parse(data) as LiveEvent['data'] })
}

/** A page that nobody sees has no frames. */
const soon = (act: () => void): unknown => (document.hidden ? setTimeout(act, HIDDEN_MS) : requestAnimationFrame(act))

function handOut(): void {
  const events = gathered
  gathered = []
  for (const listener of listeners) listener(events)
}
