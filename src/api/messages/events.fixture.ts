/** Opens event streams over real sockets, for tests. */
import assert from 'node:assert/strict'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type openFixture, SMS } from '../server.fixture.ts'

export type Fixture = Awaited<ReturnType<typeof openFixture>>
type StreamedEvent = { id?: string; event?: string; data?: Record<string, unknown> }

export async function send(api: Fixture, key: string, claims = {}): Promise<string> {
  const answer = await (await api.caller(claims))('POST', '/v1/sms/send', { ...SMS, idempotency_key: key })
  assert.equal(answer.statusCode, 202, answer.body)
  return answer.json().request_id
}

export async function portOf({ app }: Fixture): Promise<number> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return address.port
}

export async function ask(
  api: Fixture,
  query = '',
  lastEventId?: string,
  claims = {},
): Promise<Response & AsyncDisposable> {
  const leaving = new AbortController()
  const response = await fetch(`http://127.0.0.1:${await portOf(api)}/v1/events${query}`, {
    headers: omitUndefined({ authorization: `Bearer ${await api.token(claims)}`, 'last-event-id': lastEventId }),
    signal: leaving.signal,
  })
  return Object.assign(response, { [Symbol.asyncDispose]: async () => leaving.abort() })
}

/** Listens over a real socket, frame by frame. */
export async function listen(api: Fixture, query = '', lastEventId?: string, claims = {}) {
  const response = await ask(api, query, lastEventId, claims)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  assert.ok(response.body)
  const frames = toFrames(response.body.pipeThrough(new TextDecoderStream()))
  const { id: startsAfter = '' } = parse((await frames.next()).value ?? '')
  assert.notEqual(startsAfter, '')

  return {
    startsAfter,
    /** The next so many events. */
    async read(count: number): Promise<StreamedEvent[]> {
      const events: StreamedEvent[] = []
      while (events.length < count) {
        const { value } = await frames.next()
        assert.ok(value !== undefined, 'the stream ended')
        if (value.includes('data: ')) events.push(parse(value))
      }
      return events
    },
    next: () => frames.next(),
    leave: () => void response[Symbol.asyncDispose](),
  }
}

async function* toFrames(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const frames = (rest + chunk).split('\n\n')
    rest = frames.pop() ?? ''
    yield* frames
  }
}

function parse(frame: string): StreamedEvent {
  const parsed: StreamedEvent = {}
  for (const line of frame.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): (.*)$/.exec(line) ?? []
    if (name === 'data') parsed.data = JSON.parse(value)
    else if (name === 'id') parsed.id = value
    else if (name === 'event') parsed.event = value
  }
  return parsed
}
