import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seconds } from '../../lib/time.ts'
import type { MessageId, ProviderName, RouteId } from '../ids.ts'
import { preferenceOf } from './preference.ts'
import type { Route } from './routing.ts'

const [A, B, C] = ['a', 'b', 'c'].map((name) => name as ProviderName) as [ProviderName, ProviderName, ProviderName]

const route = (weights?: readonly number[]): Route => ({
  id: 'r' as RouteId,
  channel: 'sms',
  providers: [A, B, C],
  unknown: { wait: seconds(5), policy: 'hold' },
  ...(weights === undefined ? {} : { weights }),
})

/** An id whose last bits are this share of all they can be. */
const idAt = (share: number): MessageId =>
  `01945b3a-8c00-7a30-9d57-${Math.floor(share * 2 ** 48)
    .toString(16)
    .padStart(12, '0')}` as MessageId

const anyId = fc.uuid().map((id) => id as MessageId)

test('without weights the order is that of the route, for every message', () => {
  fc.assert(fc.property(anyId, (id) => assert.deepEqual(preferenceOf(route(), id), [A, B, C])))
})

test('with weights the first is the one its id falls upon, and the others follow by weight', () => {
  for (const [share, order] of [
    [0, [A, C, B]],
    [0.19, [A, C, B]],
    [0.21, [B, C, A]],
    [0.39, [B, C, A]],
    [0.41, [C, A, B]],
    [0.999_999, [C, A, B]],
  ] as const) {
    assert.deepEqual(preferenceOf(route([1, 1, 3]), idAt(share)), order)
  }
})

test('one of weight 0 is never drawn, but stands in for the others', () => {
  fc.assert(
    fc.property(anyId, (id) => {
      const [first, ...others] = preferenceOf(route([0, 2, 1]), id)
      assert.notEqual(first, A)
      assert.equal(others.at(-1), A)
    }),
  )
})

test('whatever the weights, every provider is listed once, and a message draws the same each time', () => {
  const weights = fc.array(fc.nat({ max: 1000 }), { minLength: 3, maxLength: 3 })
  fc.assert(
    fc.property(anyId, weights, (id, drawn) => {
      const order = preferenceOf(route(drawn), id)
      assert.deepEqual(order.toSorted(), [A, B, C])
      assert.deepEqual(preferenceOf(route(drawn), id), order)
    }),
  )
})

test('for evenly spread ids each comes first as often as its weight says', () => {
  const counts = new Map<ProviderName | undefined, number>()
  for (let nth = 0; nth < 1_000; nth += 1) {
    const [first] = preferenceOf(route([70, 20, 10]), idAt((nth + 0.5) / 1_000))
    counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  assert.deepEqual([counts.get(A), counts.get(B), counts.get(C)], [700, 200, 100])
})

test('of no message in particular the heaviest comes first', () => {
  assert.deepEqual(preferenceOf(route([1, 3, 2])), [B, C, A])
  assert.deepEqual(preferenceOf(route([1, 1, 1])), [A, B, C])
})
