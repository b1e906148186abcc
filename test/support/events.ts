/** Subscribes to a gateway's server-sent events, as a browser does. */

import assert from 'node:assert/strict'
import { readServerEvents, type ServerEvent } from '../../src/cli/sse.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { Gateway } from './gateway.ts'

export type EventSubscription = AsyncDisposable &
  Readonly<{
    /** The events so far. */
    received: readonly ServerEvent[]
  }>

/** Receives every event after this returns, or every event after `lastEventId`. */
export async function subscribe(
  { url, token }: Pick<Gateway, 'url' | 'token'>,
  query: Readonly<Record<string, string>> = {},
  lastEventId?: string,
): Promise<EventSubscription> {
  const stop = new AbortController()
  const response = await fetch(`${url}/v1/events?${new URLSearchParams(query)}`, {
    headers: omitUndefined({ authorization: `Bearer ${token}`, 'last-event-id': lastEventId }),
    signal: stop.signal,
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  assert(response.body)
  const received: ServerEvent[] = []
  const reading = gather(response.body, received).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  return {
    received,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await reading
    },
  }
}

async function gather(body: AsyncIterable<Uint8Array>, received: ServerEvent[]): Promise<void> {
  for await (const event of readServerEvents(body)) received.push(event)
}
