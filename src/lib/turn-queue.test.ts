import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TurnQueue } from './turn-queue.ts'

const drain = <Item>(queue: TurnQueue<string, Item>): readonly Item[] => {
  const items: Item[] = []
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item)
  return items
}

test('keys take turns, and the items of one key stay in order', () => {
  const queue = new TurnQueue<string, string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item.charAt(0), item)
  assert.deepEqual([queue.size, queue.sizeOf('a'), queue.sizeOf('d')], [6, 3, 0])
  assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  assert.deepEqual([queue.size, queue.sizeOf('a')], [0, 0])
})

test('a key that was served waits for the others, also when it is empty in between', () => {
  const queue = new TurnQueue<string, string>()
  queue.push('a', 'a1')
  queue.push('b', 'b1')
  assert.equal(queue.shift(), 'a1')
  queue.push('a', 'a2')
  assert.deepEqual(drain(queue), ['b1', 'a2'])
})

test('an item that is put back comes next', () => {
  const queue = new TurnQueue<string, string>()
  for (const item of ['a1', 'a2', 'b1']) queue.push(item.charAt(0), item)
  const [a1 = '', b1 = ''] = [queue.shift(), queue.shift()]
  queue.putBack('b', b1)
  queue.putBack('a', a1)
  assert.deepEqual(drain(queue), ['b1', 'a1', 'a2'])
})

test('clearing returns everything that waits', () => {
  const queue = new TurnQueue<string, string>()
  for (const item of ['a1', 'b1', 'a2']) queue.push(item.charAt(0), item)
  assert.deepEqual(queue.clear().toSorted(), ['a1', 'a2', 'b1'])
  assert.deepEqual([queue.size, queue.shift()], [0, undefined])
})

test('no key is served twice while another waits that has had fewer turns', () => {
  const pushes = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(pushes, (keys) => {
      const queue = new TurnQueue<string, Readonly<{ key: string; nth: number }>>()
      for (const [nth, key] of keys.entries()) queue.push(key, { key, nth })
      const served = drain(queue)
      assert.equal(served.length, keys.length)
      for (const key of new Set(keys)) {
        const own = served.filter((item) => item.key === key).map(({ nth }) => nth)
        assert.deepEqual(
          own,
          own.toSorted((one, other) => one - other),
        )
        const last = served.findLastIndex((item) => item.key === key)
        for (const other of new Set(keys)) {
          const turns = served.slice(0, last).filter((item) => item.key === other).length
          assert.ok(turns <= own.length, `${other} had ${turns} turns before the last of ${key}`)
        }
      }
    }),
  )
})
