/**
 * The live event stream, opened once by the shell and shared by all listeners. It uses fetch because EventSource cannot
 * send an Authorization header. It reconnects by itself, resumes from the last event id, and delivers events in
 * batches, once per frame.
 */
import { useEffect, useRef } from 'react'
import { makeStore, useStore } from '../store.ts'
import { callHeaders } from './client.ts'
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

/** `forbidden`: the token lacks the scope to read messages, so retrying is pointless. */
type LiveState = 'connecting' | 'live' | 'lost' | 'forbidden'

type Listener = (events: readonly LiveEvent[]) => void

const listeners = new Set<Listener>()
const startListeners = new Set<() => void>()
const state = makeStore<LiveState>('connecting')
const [SHORTEST_WAIT_MS, LONGEST_WAIT_MS] = [500, 5_000]
/** The gateway sends a keep-alive every 15 s. */
const SILENCE_TIMEOUT_MS = 40_000
const HIDDEN_MS = 1_000

let running: AbortController | undefined
let lastId: string | undefined
let lastActivity: number | undefined
let pending: LiveEvent[] = []

/** Connects and stays connected until the returned function is called. */
export function openLive(): () => void {
  lastId = undefined
  lastActivity = undefined
  state.set('connecting')
  reconnectNow()
  return () => running?.abort()
}

/** Reconnects without waiting for the backoff. */
export function reconnectNow(): void {
  running?.abort()
  running = new AbortController()
  void keepConnected(running.signal)
}

/**
 * Calls the listener with the events of each frame. `onStart` is called when the stream begins at the present: what was
 * loaded before may have changed since, without an event.
 */
export function useLive(listener: Listener, onStart?: () => void): void {
  const latest = useRef({ listener, onStart })
  latest.current = { listener, onStart }
  useEffect(() => {
    const listen: Listener = (events) => latest.current.listener(events)
    const start = (): void => latest.current.onStart?.()
    listeners.add(listen)
    startListeners.add(start)
    return () => {
      listeners.delete(listen)
      startListeners.delete(start)
    }
  }, [])
}

export const useLiveState = (): LiveState => useStore(state)

/** When the gateway last sent anything; undefined before the first response. */
export const lastActivityAt = (): number | undefined => lastActivity

/**
 * Proxies may limit how long a stream lasts, so a stream that ends cleanly is reopened without reporting a lost
 * connection.
 */
async function keepConnected(signal: AbortSignal): Promise<void> {
  for (let waitMs = SHORTEST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const end = await readStream(signal)
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

/** Reads one connection until it ends. A dropped network does not close the stream, so a silence timeout does. */
async function readStream(signal: AbortSignal): Promise<End> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS)
  const recordActivity = (): void => {
    lastActivity = Date.now()
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS)
  }
  try {
    // An open stream does not mean that somebody is there.
    const headers = {
      ...callHeaders(),
      'pombo-background': 'true',
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    }
    const response = await fetch('/v1/events', { headers, signal: AbortSignal.any([signal, silence.signal]) })
    if (response.status === 401) return 'unauthenticated'
    if (response.status === 403) return 'forbidden'
    if (!response.ok || response.body === null) return 'broken'
    recordActivity()
    state.set('live')
    if (lastId === undefined) for (const start of startListeners) start()
    for await (const frames of readFrames(response.body)) {
      recordActivity()
      for (const frame of frames) receive(frame)
    }
    return 'ended'
  } catch {
    return 'broken'
  } finally {
    clearTimeout(timer)
  }
}

function receive(frame: ReadonlyMap<string, string>): void {
  lastId = frame.get('id') ?? lastId
  const [name, data] = [frame.get('event'), frame.get('data')]
  if (name === undefined || data === undefined) return
  if (pending.length === 0) schedule(flush)
  pending.push({ name, data: JSON.parse(data) as LiveEvent['data'] })
}

/** Hidden pages get no animation frames. */
const schedule = (act: () => void): unknown =>
  document.hidden ? setTimeout(act, HIDDEN_MS) : requestAnimationFrame(act)

function flush(): void {
  const events = pending
  pending = []
  for (const listener of listeners) listener(events)
}
