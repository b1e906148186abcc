/**
 * The magic recipients of the simulator page, compared with the simulator. They are imported dynamically, because the
 * server's compiler does not know browser types.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { behaviourOf } from '../../../src/providers/simulator/behaviour.ts'

type Magic = Readonly<{ name: string; line: string; to: () => string }>
type MagicFile = Readonly<{ magicOf: (channel: 'sms' | 'email') => readonly Magic[] }>

const FILE = new URL('../../../console/src/pages/simulator/magic.ts', import.meta.url)
const { magicOf } = (await import(FILE.href)) as MagicFile

const CHANNELS = ['sms', 'email'] as const

for (const channel of CHANNELS) {
  test(`every ${channel} recipient has its own behaviour`, () => {
    const magic = magicOf(channel)
    const usual = magic.find(({ name }) => name === 'usual')
    assert.ok(usual !== undefined && magic.length >= 10)
    const behaviours = magic.map(({ to }) => behaviourOf(to(), 1))
    assert.deepEqual(behaviourOf(usual.to(), 1), behaviourOf(channel === 'sms' ? '+351912345678' : 'a@b.example', 1))
    assert.equal(new Set(behaviours.map((one) => JSON.stringify(one))).size, magic.length)
  })

  test(`every ${channel} recipient has its own description`, () => {
    const lines = magicOf(channel).map(({ line }) => line)
    assert.equal(new Set(lines).size, lines.length)
    assert.ok(lines.every((line) => line.length > 0))
  })
}

test('the simulator rejects invalid and blocked, delivers flaky at the third attempt, and never reports silent', () => {
  const behaves = (name: string, attempt: number): unknown => {
    const to = magicOf('sms')
      .find((one) => one.name === name)
      ?.to()
    const behaviour = behaviourOf(to ?? '', attempt)
    return behaviour.kind === 'receive' ? behaviour.reports.map(({ state }) => state) : behaviour.kind
  }
  assert.deepEqual([behaves('invalid', 1), behaves('blocked', 9)], ['refuse', 'refuse'])
  assert.deepEqual([behaves('flaky', 2), behaves('flaky', 3)], ['fail', ['delivered']])
  assert.deepEqual([behaves('down', 99), behaves('silent', 1), behaves('bounce', 1)], ['fail', [], ['bounced']])
})

test('only email can get complaints', () => {
  const has = (channel: 'sms' | 'email'): boolean => magicOf(channel).some(({ name }) => name === 'complaint')
  assert.deepEqual(CHANNELS.map(has), [false, true])
})

test('a recipient that gets suppressed has a new address each time, which behaves the same', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  for (const name of ['bounce', 'complaint']) {
    const magic = magicOf('email').find((one) => one.name === name)
    assert.ok(magic !== undefined)
    const first = magic.to()
    t.mock.timers.tick(1)
    assert.notEqual(magic.to(), first)
    assert.deepEqual(behaviourOf(magic.to(), 1), behaviourOf(first, 1))
  }
})
