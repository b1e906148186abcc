import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfigFile } from '../../config/file.ts'
import { reports } from '../registry.ts'
import { toOverrides } from './settings.ts'

const LEAST = { host: 'smsc.example', port: 2775, system_id: 'pombo', password: 'a-secret' }

function problemsOf(settings: object): readonly string[] {
  const problems: string[] = []
  const file = { providers: [{ name: 'carrier', kind: 'smpp', settings }] }
  const { providers } = readConfigFile('file', {}, () => JSON.stringify(file), problems)
  for (const provider of providers) assert.equal(provider.kind !== 'simulator' && reports(provider), false)
  return problems
}

test('requires an address and credentials, and has no callbacks', () => {
  assert.deepEqual(problemsOf(LEAST), [])
  assert.match(problemsOf({})[0] ?? '', /is missing host, port, system_id, password/)
})

test('accepts every setting', () => {
  const all = {
    ...LEAST,
    tls: true,
    ca: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    system_type: 'gw',
    binds: 16,
    window: 1000,
    parts_per_second: 0.5,
    enquire_seconds: 30,
    response_seconds: 10,
    long_messages: 'sar',
    alphabet: 'latin1',
    message_ids: 'hex_then_decimal',
    sender: 'Pombo 24',
    source_ton: 6,
    source_npi: 0,
    dest_ton: 2,
    dest_npi: 8,
    service_type: 'OTP',
    statuses: { '0x0400': 'later', '1025': 'message' },
  }
  assert.deepEqual(problemsOf(all), [])
})

for (const [what, settings, words] of [
  ['too many sessions', { binds: 17 }, /binds must be a whole number from 1 to 16/],
  ['an unknown method for long messages', { long_messages: 'glue' }, /long_messages must be udh, sar or payload/],
  ['an unknown meaning of a status', { statuses: { '0x400': 'whatever' } }, /statuses must be an object from statuses/],
  ['an invalid status', { statuses: { often: 'later' } }, /statuses must be an object from statuses/],
  ['an invalid certificate', { ca: 'trust me' }, /ca must be one or more certificates in PEM/],
  ['an unknown key', { binding: 1 }, /unknown keys; remove or correct binding/],
] as const) {
  test(`explains what is wrong with ${what}`, () => {
    const [problem = '', ...others] = problemsOf({ ...LEAST, ...settings })
    assert.match(problem, words)
    assert.deepEqual(others, [])
  })
}

test('reads statuses in decimal and hexadecimal', () => {
  assert.deepEqual(toOverrides({ '0x0400': 'later', '1025': 'message' }), { 1024: 'later', 1025: 'message' })
  assert.deepEqual(toOverrides(), {})
})
