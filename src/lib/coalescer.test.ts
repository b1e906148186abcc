import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Coalescer } from './coalescer.ts'

/** Batches that end when the test says so. */
function openRounds() {
  const rounds: { items: readonly string[]; end: (error?: Error) => void }[] = []
  const gathering = new Coalescer<string>((items) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    rounds.push({ items, end: (error) => (error === undefined ? resolve() : reject(error)) })
    return promise
  })
  const join = (...items: string[]) => gathering.join(items.map((item) => [item, item]))
  return { rounds, join, items: () => rounds.map((round) => round.items) }
}

test('items of one turn share a batch, each once', async () => {
  const { rounds, join, items } = openRounds()
  const joined = [join('a', 'b'), Promise.resolve().then(() => join('b', 'c'))]
  await setImmediate()
  assert.deepEqual(items(), [['a', 'b', 'c']])
  rounds[0]?.end()
  await Promise.all(joined)
})

test('items that arrive during a batch wait for the next, even if the batch contains them', async () => {
  const { rounds, join, items } = openRounds()
  const first = join('a')
  await setImmediate()
  const others = [join('a'), join('b')]
  await setImmediate()
  others.push(join('c'))
  assert.deepEqual(items(), [['a']])
  rounds[0]?.end()
  await first
  await setImmediate()
  assert.deepEqual(items(), [['a'], ['a', 'b', 'c']])
  rounds[1]?.end()
  await Promise.all(others)
})

test('a failed batch rejects the callers in it, and no others', async () => {
  const { rounds, join } = openRounds()
  const failing = assert.rejects(join('a'), /broken/)
  await setImmediate()
  const next = join('b')
  rounds[0]?.end(new Error('broken'))
  await failing
  await setImmediate()
  rounds[1]?.end()
  await next
})
