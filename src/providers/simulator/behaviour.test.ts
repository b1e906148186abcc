import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { millis } from '../../lib/time.ts'
import { type Behaviour, behaviourOf, reportAfter, reportsAfter, reportsOf, waitBefore } from './behaviour.ts'

const pace = { latency: millis(10), receiptDelay: millis(150), slow: millis(5000), limbo: millis(1000) }
const MAGIC = ['invalid', 'blocked', 'flaky', 'down', 'limbo', 'silent', 'bounce', 'noisy', 'slow']
const phone = (name: string): string => `+1500555000${MAGIC.indexOf(name) + 1}`
const mailbox = (name: string): string => `${name}@sim.pombo.test`

const receiving = (name: string): Extract<Behaviour, { kind: 'receive' }> => {
  const behaviour = behaviourOf(phone(name), 1)
  assert.equal(behaviour.kind, 'receive')
  return behaviour as Extract<Behaviour, { kind: 'receive' }>
}
const codeOf = (to: string): string => {
  const behaviour = behaviourOf(to, 1)
  return behaviour.kind === 'refuse' ? behaviour.code : behaviour.kind
}
const states = (reports: readonly { state: string }[]): string[] => reports.map(({ state }) => state)

test('a magic phone behaves like its mailbox, apart from codes of email', () => {
  for (const name of MAGIC.slice(2).filter((one) => one !== 'bounce')) {
    for (const attempt of [1, 2, 3]) {
      assert.equal(behaviourOf(phone(name), attempt), behaviourOf(mailbox(name), attempt), name)
    }
  }
})

test('invalid and blocked recipients are rejected with the code of their channel', () => {
  assert.deepEqual(['invalid', 'blocked'].map(phone).map(codeOf), ['INVALID_NUMBER', 'NUMBER_BLOCKED'])
  assert.deepEqual(['invalid', 'blocked'].map(mailbox).map(codeOf), ['INVALID_EMAIL', 'RECIPIENT_BLOCKED'])
})

test('bounces and complaints suppress an email address, but not a phone', () => {
  const reportsTo = (to: string) => {
    const behaviour = behaviourOf(to, 1)
    if (behaviour.kind !== 'receive') throw new Error(`${to} receives nothing`)
    return reportsOf(behaviour, pace).map(([after, { state, code, suppresses }]) => [after, state, code, suppresses])
  }
  assert.deepEqual(reportsTo(phone('bounce')), [[150, 'bounced', 'UNREACHABLE', undefined]])
  assert.deepEqual(reportsTo(mailbox('bounce')), [[150, 'bounced', 'HARD_BOUNCE', 'hard_bounce']])
  assert.deepEqual(reportsTo(mailbox('complaint')), [
    [150, 'delivered', undefined, undefined],
    [300, 'complaint', 'COMPLAINT', 'complaint'],
  ])
})

test('a magic mailbox ignores tags and case', () => {
  for (const name of [...MAGIC, 'complaint']) {
    const behaviour = behaviourOf(mailbox(name), 1)
    assert.notEqual(behaviour, behaviourOf(mailbox('anybody'), 1))
    for (const to of [mailbox(`${name}+1`), mailbox(`${name}+a+b.c`), mailbox(name.toUpperCase())]) {
      assert.equal(behaviourOf(to, 1), behaviour, to)
    }
    for (const to of [mailbox(`x${name}`), mailbox(`${name}.x`), `${name}@pombo.test`, `${name}@sim.pombo.test.x`]) {
      assert.equal(behaviourOf(to, 1), behaviourOf(mailbox('anybody'), 1), to)
    }
  }
})

test('flaky fails twice and then delivers; down always fails', () => {
  const kinds = (name: string): string[] => [1, 2, 3, 99].map((attempt) => behaviourOf(phone(name), attempt).kind)
  assert.deepEqual(kinds('flaky'), ['fail', 'fail', 'receive', 'receive'])
  assert.deepEqual(kinds('down'), ['fail', 'fail', 'fail', 'fail'])
})

test('any other recipient is delivered to, at any attempt', () => {
  const magic = new Set([...MAGIC.map(phone), ...MAGIC.map(mailbox)])
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.emailAddress()), fc.nat(), (to, attempt) => {
      fc.pre(!magic.has(to))
      const behaviour = behaviourOf(to, attempt)
      assert.deepEqual(behaviour.kind === 'receive' && states(behaviour.reports), ['delivered'])
    }),
  )
})

test('noisy reports twice and out of order, first before the answer', () => {
  const { early, reports } = receiving('noisy')
  assert.deepEqual(states([...early, ...reports]), ['delivered', 'accepted', 'delivered', 'accepted'])
  assert.equal(early.length, 1)
})

test('only a slow call waits longer than the latency', () => {
  assert.equal(waitBefore(receiving('slow'), pace), 5010)
  for (const name of MAGIC.slice(0, -1)) assert.equal(waitBefore(behaviourOf(phone(name), 1), pace), 10)
})

test('the receipt of a call in limbo follows its timeout', () => {
  assert.equal(reportsAfter(receiving('limbo'), pace), 1750)
  assert.equal(reportsAfter(receiving('silent'), pace), 150)
})

test('a lookup finds a report once it is due', () => {
  const stateOf = (name: string, elapsed: number): string => reportAfter(receiving(name), elapsed, pace).state
  const complained = behaviourOf(mailbox('complaint'), 1)
  assert.ok(complained.kind === 'receive')
  const complaints = [149, 150, 299, 300].map((elapsed) => reportAfter(complained, elapsed, pace).state)
  assert.deepEqual(complaints, ['accepted', 'delivered', 'delivered', 'complaint'])
  assert.deepEqual([stateOf('slow', 149), stateOf('slow', 150)], ['accepted', 'delivered'])
  assert.deepEqual([stateOf('limbo', 1749), stateOf('limbo', 1750)], ['accepted', 'delivered'])
  assert.deepEqual([stateOf('bounce', 0), stateOf('bounce', 150)], ['accepted', 'bounced'])
  assert.deepEqual([stateOf('silent', 0), stateOf('silent', 1e9)], ['accepted', 'accepted'])
  assert.deepEqual([stateOf('noisy', 0), stateOf('noisy', 150)], ['delivered', 'delivered'])
})
