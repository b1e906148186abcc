import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { linesOf } from '../../../clients/node/src/lines.ts'
import { Pombo, type PomboOptions } from '../../../clients/node/src/pombo.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A body in these chunks, which then ends or breaks. */
function bodyOf(chunks: readonly Uint8Array[], end: 'ends' | 'breaks' = 'ends'): ReadableStream<Uint8Array> {
  const rest = [...chunks]
  return new ReadableStream({
    pull(controller) {
      const next = rest.shift()
      if (next !== undefined) controller.enqueue(next)
      else if (end === 'ends') controller.close()
      else controller.error(new TypeError('terminated'))
    },
  })
}

const EVENTS = ['a', 'b', 'ü', 'd'].map((to, n) => ({ id: `id-${n + 1}`, data: { messageId: to } }))
/** Two events at one position: the first has no id. */
const FRAMES = EVENTS.map(
  ({ id, data }, n) => `${n === 1 ? '' : `id: ${id}\n`}event: sms.events.status.v1\ndata: ${JSON.stringify(data)}\n\n`,
)

/** The log: what follows an id, as the gateway streams it. */
function streamAfter(lastEventId: string | null): string {
  const place =
    lastEventId === null || lastEventId === 'start' ? 0 : EVENTS.findIndex(({ id }) => id === lastEventId) + 1
  return `: listening\nid: ${lastEventId ?? 'start'}\n\n${FRAMES.slice(place).join('')}: keep-alive\nid: id-4\n\n`
}

const clientOf = (fetch: NonNullable<PomboOptions['fetch']>): Pombo =>
  new Pombo({ url: 'https://pombo.example', fetch })

/** What arrives if the first connection breaks after so many bytes. */
async function readCutAfter(bytes: number): Promise<readonly string[]> {
  let connections = 0
  const pombo = clientOf(async (_, init) => {
    connections += 1
    if (connections > 2)
      return Response.json({ error_code: 'FORBIDDEN', detail: 'it skipped an event' }, { status: 403 })
    const all = bytesOf(streamAfter(new Headers(init?.headers).get('last-event-id')))
    const cut = connections === 1 ? all.subarray(0, bytes) : all
    return new Response(bodyOf([cut], connections === 1 ? 'breaks' : 'ends'))
  })
  const seen: string[] = []
  for await (const { data } of pombo.events.stream({ event: 'sms.events.status.v1' })) {
    seen.push(data.messageId)
    if (data.messageId === 'd') return seen
  }
  return seen
}

describe('the event stream', () => {
  test('misses nothing, wherever it is cut, and repeats at most the events at one position', async () => {
    const offsets = Array.from({ length: bytesOf(streamAfter(null)).length }, (_, n) => n)
    const runs = await Promise.all(offsets.map(readCutAfter))
    for (const [offset, seen] of runs.entries()) {
      assert.deepEqual([...new Set(seen)], ['a', 'b', 'ü', 'd'], `cut after ${offset} bytes: ${seen}`)
      assert.ok(seen.length <= 5, `cut after ${offset} bytes: ${seen}`)
    }
    assert.ok(runs.some((seen) => seen.length === 5))
  })

  test('knows where to resume even if nothing passes its filter', async () => {
    const pombo = clientOf(
      async () => new Response(bodyOf([bytesOf(': keep-alive\nid: later\n\n'), bytesOf(FRAMES[1] ?? '')])),
    )
    const stream = pombo.events.stream()
    for await (const { id } of stream) {
      assert.equal(id, 'later')
      break
    }
    assert.equal(stream.lastEventId, 'later')
  })

  test('rejects what is refused, at first and later', async () => {
    const refused = (): Response => Response.json({ error_code: 'UNAUTHENTICATED', detail: 'revoked' }, { status: 401 })
    let connections = 0
    const pombo = clientOf(async () => {
      connections += 1
      return connections === 1 ? new Response(bodyOf([bytesOf(FRAMES[0] ?? '')])) : refused()
    })
    const seen: string[] = []
    const follow = async (): Promise<void> => {
      for await (const { id } of pombo.events.stream()) seen.push(id)
    }
    await assert.rejects(follow, { code: 'UNAUTHENTICATED', status: 401 })
    assert.deepEqual(seen, ['id-1'])
    await assert.rejects(follow, { code: 'UNAUTHENTICATED', status: 401 })
  })

  test('ends with its signal, and closes the connection when nobody reads on', async () => {
    let isClosed = false
    const endless = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        start: (controller) => controller.enqueue(bytesOf(FRAMES[0] ?? '')),
        cancel() {
          isClosed = true
        },
      })
    const pombo = clientOf(async (_, init) => {
      init?.signal?.throwIfAborted()
      const body = endless()
      init?.signal?.addEventListener('abort', () => body.cancel().catch(() => undefined))
      return new Response(body)
    })
    for await (const _ of pombo.events.stream()) break
    assert.ok(isClosed)
    const leaving = new AbortController()
    const reason = new Error('enough')
    leaving.abort(reason)
    await assert.rejects(async () => {
      for await (const _ of pombo.events.stream({ signal: leaving.signal })) assert.fail()
    }, reason)
  })
})

test('lines are found however their bytes arrive', async () => {
  const bytes = bytesOf('one\r\ntwo\n\nthrée\rfour\r\n')
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.slice(n * size, (n + 1) * size),
    )
    const lines: string[] = []
    for await (const line of linesOf(bodyOf(chunks))) lines.push(line)
    assert.deepEqual(lines, ['one', 'two', '', 'thrée', 'four'], `chunks of ${size}`)
  }
})
