/**
 * What happens to messages, as it happens: one stream of events for the whole page, shared by all who listen. It is
 * read with fetch, because a token travels in a header; it comes back by itself and goes on where it was. Events are
 * handed out once per frame, however many there are.
 */
import { useEffect, useRef } from 'react'
import { makeStore, useStore } from '../store.ts'
import { authorization } from './client.ts'

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

type LiveState = 'connecting' | 'live' | 'lost'

type Listener = (events: readonly LiveEvent[]) => void

const listeners = new Set<Listener>()
const state = makeStore<LiveState>('connecting')
const LONGEST_WAIT_MS = 15_000
const HIDDEN_MS = 1_000

let running: AbortController | undefined
let lastId: string | undefined
let gathered: LiveEvent[] = []

/** Calls with the events of each frame until the answer is called. */
function listen(listener: Listener): () => void {
  listeners.add(listener)
  if (running === undefined) {
    running = new AbortController()
    void follow(running.signal)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    running?.abort()
    running = undefined
  }
}

export function useLive(listener: Listener): void {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => listen((events) => latest.current(events)), [])
}

export const useLiveState = (): LiveState => useStore(state)

async function follow(signal: AbortSignal): Promise<void> {
  for (let waitMs = 500; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      const headers = { ...authorization(), ...(lastId === undefined ? {} : { 'last-event-id': lastId }) }
      const response = await fetch('/v1/events', { headers, signal })
      if (!response.ok || response.body === null) throw new Error(`answered ${response.status}`)
      state.set('live')
      waitMs = 500
      await read(response.body)
    } catch {
      if (signal.aborted) return
    }
    state.set('lost')
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

async function read(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) take(frame)
  }
}

function take(frame: string): void {
  const field = (name: string): string | undefined =>
    frame
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trimStart()
  lastId = field('id') ?? lastId
  const [name, data] = [field('event'), field('data')]
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
