import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderName, RouteId } from '../ids.ts'
import { type Able, conditionProblems, providerProblems, type RouteFields, toFields, toRoute } from './route-fields.ts'

const [A, B] = ['a' as ProviderName, 'b' as ProviderName]
const ABLE: readonly Able[] = [
  { name: A, channels: ['sms', 'email'] },
  { name: B, channels: ['sms'] },
]
const BARE: RouteFields = { id: 'r' as RouteId, channel: 'sms', providers: [A, B] }

test('a route survives conversion to fields and back', () => {
  const full: RouteFields = {
    ...BARE,
    kind: 'flash_sms',
    sender: 'Pombo',
    prefix: '+55',
    providers: [
      { name: A, weight: 3 },
      { name: B, weight: 0 },
    ],
    retry: { delays_seconds: [0.5, 2], max_attempts: 3, jitter: 0.1, failover: true },
    unknown: { wait_seconds: 0.25, policy: 'resend', give_up_seconds: 90 },
  }
  assert.deepEqual(toFields(toRoute(full)), full)
  assert.deepEqual(toFields(toRoute(BARE)), BARE)
  assert.equal('weights' in toRoute(BARE), false)
})

test('reports unknown and duplicate providers by index', () => {
  const problems = providerProblems({ channel: 'sms', providers: [A, 'x' as ProviderName, A] }, ABLE)
  assert.deepEqual(problems, [
    { path: '/providers/1', message: 'is not a provider; choose among a, b' },
    { path: '/providers/2', message: 'is already listed' },
  ])
  assert.deepEqual(providerProblems(BARE, ABLE), [])
})

test('reports a provider that does not support the channel by index', () => {
  assert.deepEqual(providerProblems({ ...BARE, channel: 'email' }, ABLE), [
    { path: '/providers/1', message: 'does not carry email; choose among a' },
  ])
})

test('validates the conditions per channel', () => {
  const mail = { ...BARE, channel: 'email', sender: 'no-reply@acme.example', prefix: 'gov.example' } as const
  const sms = { ...BARE, sender: 'Acme', prefix: '+55', kind: 'flash_sms' } as const
  assert.deepEqual([...conditionProblems(mail), ...conditionProblems(sms)], [])
  const paths = (fields: RouteFields) => conditionProblems(fields).map(({ path }) => path)
  assert.deepEqual(paths({ ...mail, channel: 'sms' }), ['/sender', '/prefix'])
  assert.deepEqual(paths({ ...sms, channel: 'email' }), ['/kind', '/sender', '/prefix'])
})

test('requires weights for all providers or none, with one above 0', () => {
  const problemOf = (...listed: RouteFields['providers']) =>
    providerProblems({ channel: 'sms', providers: listed }, ABLE)[0]?.message ?? ''
  assert.match(problemOf({ name: A, weight: 1 }, B), /mixes two forms/)
  assert.match(problemOf({ name: A, weight: 0 }, { name: B, weight: 0 }), /no weight above 0/)
  assert.equal(problemOf({ name: A, weight: 0 }, { name: B, weight: 1 }), '')
})
