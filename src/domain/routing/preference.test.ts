import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { omitUndefined } from '../../lib/omit-undefined.ts'
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
  ...omitUndefined({ weights }),
})

/** An id whose last bits are this share of their range. */
const idAt = (share: number): MessageId =>
  `01945b3a-8c00-7a30-9d57-${Math.floor(share * 2 ** 48)
    .toString(16)
    .padStart(12, '0')}` as MessageId

const anyId = fc.uuid().map((id) => id as MessageId)

test('without weights keeps the order of the route for every message', () => {
  fc.assert(fc.property(anyId, (id) => assert.deepEqual(preferenceOf(route(), id), [A, B, C])))
})

test('with weights the message id selects the first provider, and the others follow by weight', () => {
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

test('a provider of weight 0 is never first, but serves as a fallback', () => {
  fc.assert(
    fc.property(anyId, (id) => {
      const [first, ...others] = preferenceOf(route([0, 2, 1]), id)
      assert.notEqual(first, A)
      assert.equal(others.at(-1), A)
    }),
  )
})

test('lists every provider once, in a stable order per message, for any weights', () => {
  const weights = fc.array(fc.nat({ max: 1000 }), { minLength: 3, maxLength: 3 })
  fc.assert(
    fc.property(anyId, weights, (id, drawn) => {
      const order = preferenceOf(route(drawn), id)
      assert.deepEqual(order.toSorted(), [A, B, C])
      assert.deepEqual(preferenceOf(route(drawn), id), order)
    }),
  )
})

test('evenly distributed ids select each provider by its weight', () => {
  const counts = new Map<ProviderName | undefined, number>()
  for (let nth = 0; nth < 1_000; nth += 1) {
    const [first] = preferenceOf(route([70, 20, 10]), idAt((nth + 0.5) / 1_000))
    counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  assert.deepEqual([counts.get(A), counts.get(B), counts.get(C)], [700, 200, 100])
})

test('without a message id the highest weight comes first', () => {
  assert.deepEqual(preferenceOf(route([1, 3, 2])), [B, C, A])
  assert.deepEqual(preferenceOf(route([1, 1, 1])), [A, B, C])
})
