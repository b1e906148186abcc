import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EchoData, EchoMethods, MainMethods } from './thread-rpc.fixture.ts'
import { serveThread, Thread, type ThreadOptions } from './thread-rpc.ts'

const ENTRY = new URL('./thread-rpc.fixture.ts', import.meta.url)

class Ended extends Error {}

function start(data: EchoData = {}, options: Partial<ThreadOptions> = {}) {
  const notes: string[] = []
  const methods: MainMethods = {
    double(value) {
      if (value < 0) throw new RangeError('negative')
      return 2 * value
    },
    note: (text) => void notes.push(text),
  }
  const onEnd = (cause: unknown): Error => new Ended('the thread has ended', { cause })
  const thread = new Thread<EchoMethods>(ENTRY, { data, methods, onEnd, ...options })
  return { thread, notes, [Symbol.asyncDispose]: () => thread.terminate() }
}

test('answers each call with its own answer', async () => {
  await using world = start()
  const values = [1, 'two', { three: [3] }, null, undefined, new Uint8Array([4])]
  assert.deepEqual(await Promise.all(values.map((value) => world.thread.call('echo', [value]))), values)
})

test('sends the calls of one turn as one message', async () => {
  await using world = start()
  await world.thread.ready()
  const before = world.thread.posted
  const counts = [1, 2, 3].map(() => world.thread.call('together', []))
  assert.equal(world.thread.posted, before)
  assert.deepEqual(await Promise.all(counts), [3, 3, 3])
  assert.equal(world.thread.posted, before + 1)
})

test('is ready when the thread has started', async () => {
  await using world = start()
  await world.thread.ready()
  assert.deepEqual(world.notes, ['starting'])
})

test('passes on why a thread could not start, with the fields of the error', async () => {
  await using world = start({ failure: 'no disk' }, { onEnd: (cause) => cause ?? new Ended() })
  const called = world.thread.call('echo', [1])
  await assert.rejects(world.thread.ready(), { message: 'no disk', exitCode: 73 })
  await assert.rejects(called, /no disk/)
})

for (const [what, entry] of [
  ['that does not exist', new URL('./no-such-file.fixture.ts', import.meta.url)],
  ['that serves nothing', new URL('data:text/javascript,')],
] as const) {
  test(`rejects calls to an entry ${what}`, async () => {
    const thread = new Thread(entry, { onEnd: (cause) => cause ?? new Ended('over') })
    await assert.rejects(thread.ready(), /over|no-such-file/)
    await thread.close()
  })
}

test('serves nothing outside a worker thread', async () => {
  await assert.rejects(
    serveThread(() => assert.fail('opened')),
    /entry of a worker thread/,
  )
})

test('rejects a failed call with the message of its error, or with what decodeError makes of it', async () => {
  await using plain = start()
  await assert.rejects(plain.thread.call('fail', ['wrong']), { name: 'Error', message: 'wrong' })
  assert.equal(await plain.thread.call('echo', ['fine']), 'fine')
  await using decoding = start({}, { decodeError: (message: string) => new SyntaxError(`decoded: ${message}`) })
  await assert.rejects(decoding.thread.call('fail', ['wrong']), { name: 'SyntaxError', message: 'decoded: wrong' })
})

test('aborts a call when its signal aborts, before or after it was posted', async () => {
  await using world = start()
  const patience = new AbortController()
  const early = world.thread.callUntil(AbortSignal.abort(), 'wait', ['early'])
  const late = world.thread.callUntil(patience.signal, 'wait', ['late'])
  assert.equal(await early, 'early, aborted')
  patience.abort()
  assert.equal(await late, 'late, aborted')
})

test('lets the thread call back, and sends it the errors of the main thread', async () => {
  await using world = start({}, { encodeError: (error) => `encoded: ${error.message}` })
  assert.equal(await world.thread.call('callBack', [21]), '42')
  assert.equal(await world.thread.call('callBack', [-1]), 'encoded: negative')
})

for (const [how, name, cause] of [
  ['exits', 'exit', undefined],
  ['dies of an error', 'die', 'out of luck'],
] as const) {
  test(`rejects pending and later calls when the thread ${how}`, async () => {
    const causes: unknown[] = []
    const onEnd = (error: unknown): Error => {
      causes.push(error)
      return new Ended('over')
    }
    await using world = start({}, { onEnd })
    const pending = world.thread.call('never', [])
    world.thread.call(name, ['out of luck']).catch(() => undefined)
    await assert.rejects(pending, Ended)
    await assert.rejects(world.thread.call('echo', [1]), Ended)
    assert.equal(world.thread.isOpen, false)
    await world.thread.close()
    assert.deepEqual(
      causes.map((error) => (error as Error | undefined)?.message),
      [cause],
    )
  })
}

test('closing answers earlier calls, lets the thread finish, and rejects later calls', async () => {
  await using world = start()
  const before = [world.thread.call('echo', ['before']), world.thread.call('untilClosed', [])]
  const closing = world.thread.close()
  assert.equal(world.thread.isOpen, false)
  const after = world.thread.call('echo', ['after'])
  after.catch(() => undefined)
  await closing
  assert.deepEqual(await Promise.all(before), ['before', 'closed'])
  await assert.rejects(after, Ended)
  assert.deepEqual(world.notes, ['starting', 'closing'])
  await world.thread.close()
})

test('closing terminates a thread that does not end', async () => {
  await using world = start({ hangsOnClose: true })
  await world.thread.ready()
  const never = assert.rejects(world.thread.call('never', []), Ended)
  await world.thread.close(50)
  await never
})
