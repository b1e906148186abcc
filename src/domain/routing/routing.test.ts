import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seconds } from '../../lib/time.ts'
import type { ProviderName, RouteId, TenantId } from '../ids.ts'
import { type Addressed, findRoute, type Route, whyNot } from './routing.ts'

const ACME = 'acme' as TenantId
type Conditions = Partial<Pick<Route, 'channel' | 'tenantId' | 'kind' | 'sender' | 'prefix'>>

const route = (id: string, conditions: Conditions = {}): Route => ({
  id: id as RouteId,
  channel: 'sms',
  providers: ['simulator' as ProviderName],
  unknown: { wait: seconds(60), policy: 'hold' },
  ...conditions,
})

const SMS: Addressed = { tenantId: ACME, channel: 'sms', kind: 'sms', to: '+5511987654321', from: 'Pombo' }
const EMAIL: Addressed = { tenantId: ACME, channel: 'email', kind: 'email', to: 'ana@mail.example.com' }

const chosen = (routes: readonly Route[], message: Addressed): string | undefined => findRoute(routes, message)?.id

test('finds no route when none matches', () => {
  assert.equal(chosen([], SMS), undefined)
  const others: Conditions[] = [
    { channel: 'email' },
    { tenantId: 'other' as TenantId },
    { kind: 'flash_sms' },
    { sender: 'Other' },
    { prefix: '+1' },
    { prefix: '55' },
  ]
  for (const conditions of others)
    assert.equal(chosen([route('r', conditions)], SMS), undefined, JSON.stringify(conditions))
})

test('a missing condition matches everything', () => {
  assert.equal(chosen([route('any')], SMS), 'any')
  const { from: _, ...anonymous } = SMS
  assert.equal(chosen([route('any')], anonymous), 'any')
  assert.equal(chosen([route('r', { sender: 'Pombo' })], anonymous), undefined)
})

test('every condition must hold', () => {
  const all: Conditions = { tenantId: ACME, kind: 'sms', sender: 'Pombo', prefix: '+5511' }
  assert.equal(chosen([route('r', all)], SMS), 'r')
  assert.equal(chosen([route('r', { ...all, kind: 'flash_sms' })], SMS), undefined)
  assert.equal(chosen([route('r', { ...all, prefix: '+5512' })], SMS), undefined)
})

/** All of these routes match, in order of precedence. */
const PRECEDENCE: readonly Route[] = [
  route('longer prefix, all conditions', { prefix: '+5511', tenantId: ACME, kind: 'sms', sender: 'Pombo' }),
  route('longer prefix', { prefix: '+5511' }),
  route('prefix, all conditions', { prefix: '+55', tenantId: ACME, kind: 'sms', sender: 'Pombo' }),
  route('prefix, two conditions', { prefix: '+55', tenantId: ACME, sender: 'Pombo' }),
  route('prefix, one condition', { prefix: '+55', kind: 'sms' }),
  route('prefix', { prefix: '+55' }),
  route('plus', { prefix: '+' }),
  route('all conditions', { tenantId: ACME, kind: 'sms', sender: 'Pombo' }),
  route('two conditions', { tenantId: ACME, kind: 'sms' }),
  route('one condition', { tenantId: ACME }),
  route('any'),
]

test('the longest prefix wins, then the route with more conditions', () => {
  for (let start = 0; start < PRECEDENCE.length; start += 1) {
    assert.equal(chosen(PRECEDENCE.slice(start), SMS), PRECEDENCE[start]?.id)
    assert.equal(chosen(PRECEDENCE.slice(start).toReversed(), SMS), PRECEDENCE[start]?.id)
  }
})

test('the order of the list does not matter between routes of different precedence', () => {
  const shuffled = fc.shuffledSubarray([...PRECEDENCE], { minLength: 1 })
  fc.assert(
    fc.property(shuffled, (routes) => {
      const best = PRECEDENCE.find((route) => routes.includes(route))
      assert.equal(findRoute(routes, SMS), best)
    }),
  )
})

test('of equally specific routes the first one listed wins', () => {
  const [one, other] = [route('one', { tenantId: ACME }), route('other', { kind: 'sms' })]
  assert.equal(chosen([one, other], SMS), 'one')
  assert.equal(chosen([other, one], SMS), 'other')
})

test('an email route matches the domain and its subdomains, the longest first', () => {
  const email = (id: string, prefix?: string): Route => route(id, { channel: 'email', ...(prefix && { prefix }) })
  const routes = [email('any'), email('com', 'com'), email('domain', 'example.com'), email('exact', 'mail.example.com')]
  assert.equal(chosen(routes, EMAIL), 'exact')
  assert.equal(chosen(routes, { ...EMAIL, to: 'ana@shop.example.com' }), 'domain')
  assert.equal(chosen(routes, { ...EMAIL, to: 'ana@example.com' }), 'domain')
  assert.equal(chosen(routes, { ...EMAIL, to: 'ana@badexample.com' }), 'com')
  assert.equal(chosen(routes, { ...EMAIL, to: 'ana@example.org' }), 'any')
})

test('every route that was not chosen has a reason', () => {
  const found = route('found', { prefix: '+5511', kind: 'sms' })
  for (const [conditions, why] of [
    [{ channel: 'email' }, 'channel'],
    [{ tenantId: 'other' as TenantId }, 'tenant'],
    [{ kind: 'flash_sms' }, 'kind'],
    [{ sender: 'Other' }, 'sender'],
    [{ prefix: '+1' }, 'prefix'],
    [{ prefix: '+55', tenantId: ACME, kind: 'sms', sender: 'Pombo' }, 'shorter_prefix'],
    [{}, 'shorter_prefix'],
    [{ prefix: '+5511' }, 'fewer_conditions'],
    [{ prefix: '+5511', tenantId: ACME }, 'listed_later'],
  ] as const) {
    const other = route('other', conditions)
    assert.equal(findRoute([found, other], SMS), found)
    assert.equal(whyNot(other, SMS, found), why)
  }
  assert.equal(whyNot(route('other', { prefix: '+1' }), SMS, undefined), 'prefix')
})
