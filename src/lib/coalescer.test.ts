import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Coalescer } from './coalescer.ts'

/** Rounds that end when they are told to. */
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

test('what comes in one turn goes together, each once', async () => {
  const { rounds, join, items } = openRounds()
  const joined = [join('a', 'b'), Promise.resolve().then(() => join('b', 'c'))]
  await setImmediate()
  assert.deepEqual(items(), [['a', 'b', 'c']])
  rounds[0]?.end()
  await Promise.all(joined)
})

test('what comes while a round is under way waits for the next, also where it is in the round', async () => {
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

test('a round that fails fails those who are in it, and nobody else', async () => {
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
