/** Listening to a gateway's event stream, as a browser would. */
import assert from 'node:assert/strict'
import { readServerEvents, type ServerEvent } from '../../src/cli/sse.ts'
import type { Gateway } from './gateway.ts'

export type Listening = AsyncDisposable &
  Readonly<{
    /** What came so far. */
    heard: readonly ServerEvent[]
  }>

/** Hears everything from the moment this returns, or from after `lastEventId`. */
export async function listen(
  { url, token }: Pick<Gateway, 'url' | 'token'>,
  query: Readonly<Record<string, string>> = {},
  lastEventId?: string,
): Promise<Listening> {
  const stop = new AbortController()
  const response = await fetch(`${url}/v1/events?${new URLSearchParams(query)}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: stop.signal,
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  assert(response.body)
  const heard: ServerEvent[] = []
  const hearing = gather(response.body, heard).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  return {
    heard,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await hearing
    },
  }
}

async function gather(body: AsyncIterable<Uint8Array>, heard: ServerEvent[]): Promise<void> {
  for await (const event of readServerEvents(body)) heard.push(event)
}
