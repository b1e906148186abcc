import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedPerKey } from './bounded.ts'

test('runs so many acts of a key at once, refuses more, and takes others as soon as one has ended', async () => {
  const run = boundedPerKey(2, () => new Error('too many'))
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const running = [run('a', () => first.promise), run('a', () => second.promise)]
  await assert.rejects(
    run('a', async () => assert.fail('not run')),
    { message: 'too many' },
  )
  assert.equal(await run('b', async () => 'of another key'), 'of another key')
  first.resolve('first')
  assert.equal(await running[0], 'first')
  assert.equal(await run('a', async () => 'next'), 'next')
  second.reject(new Error('failed'))
  await assert.rejects(running[1] ?? Promise.resolve(), { message: 'failed' })
  assert.deepEqual(
    await Promise.all(['x', 'y'].map((answer) => run('a', async () => answer))),
    ['x', 'y'],
    'a failed act has ended too',
  )
})
