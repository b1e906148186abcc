import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ProviderName, RouteId } from '../ids.ts'
import { allowedPart } from './allowed-part.ts'
import type { Route } from './routing.ts'

const NAMES = ['one', 'two', 'three'] as readonly string[] as readonly ProviderName[]
const [ONE, TWO, THREE] = NAMES as readonly [ProviderName, ProviderName, ProviderName]

const route = (wanted: Partial<Route> = {}): Route => ({
  id: 'r1' as RouteId,
  channel: 'sms',
  providers: [ONE, TWO, THREE],
  ...wanted,
})

const among = (allowed: readonly ProviderName[]) => (name: ProviderName) => allowed.includes(name)

test('a route stays as it is where all its providers are allowed', () => {
  const whole = route({ weights: [1, 2, 3] })
  assert.equal(allowedPart(whole, among(NAMES)), whole)
})

test('leaves out other providers with their weights, and keeps the order', () => {
  assert.deepEqual(allowedPart(route(), among([THREE, ONE])), route({ providers: [ONE, THREE] }))
  const weighted = route({ weights: [1, 2, 3] })
  assert.deepEqual(allowedPart(weighted, among([TWO, THREE])), route({ providers: [TWO, THREE], weights: [2, 3] }))
})

test('nothing is left of a route without an allowed provider', () => {
  assert.equal(allowedPart(route(), among([])), undefined)
  assert.equal(allowedPart(route({ providers: [ONE] }), among([TWO])), undefined)
})

test('what is left names only allowed providers, each with its own weight', () => {
  const weights = fc.option(fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)), { nil: undefined })
  fc.assert(
    fc.property(weights, fc.subarray([...NAMES]), (given, allowed) => {
      const whole = given === undefined ? route() : route({ weights: given })
      const part = allowedPart(whole, among(allowed))
      assert.deepEqual(
        part?.providers ?? [],
        whole.providers.filter((name) => allowed.includes(name)),
      )
      for (const [nth, name] of (part?.providers ?? []).entries()) {
        assert.equal(part?.weights?.[nth], whole.weights?.[whole.providers.indexOf(name)])
      }
    }),
  )
})
