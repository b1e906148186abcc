import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readServerEvents, type ServerEvent } from './sse.ts'

async function* chunks(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  let start = 0
  for (const size of [...sizes, bytes.length]) {
    yield bytes.subarray(start, start + size)
    start += size
  }
}

const read = (text: string, sizes: readonly number[] = []): Promise<ServerEvent[]> =>
  Array.fromAsync(readServerEvents(chunks(text, sizes)))

test('parses id, name and data', async () => {
  assert.deepEqual(await read('id: 1\nevent: a\ndata: x\n\n'), [{ id: '1', name: 'a', data: 'x' }])
})

test('skips comments, joins data lines, and drops an incomplete event', async () => {
  const text = ': hello\n\ndata: a\ndata:b\n\nid: 9\ndata: cut'
  assert.deepEqual(await read(text), [{ id: undefined, name: 'message', data: 'a\nb' }])
})

test('parses the same events for every chunking and line ending', async () => {
  const lines = ['id: 1', 'event: ü', 'data: {"a":"→: x"}', '', ': beat', '', 'data: two', '', '']
  const expected = await read(lines.join('\n'))
  assert.equal(expected.length, 2)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 })), fc.constantFrom('\n', '\r\n'), async (sizes, end) => {
      assert.deepEqual(await read(lines.join(end), sizes), expected)
    }),
  )
})
