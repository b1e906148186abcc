import assert from 'node:assert/strict'
import { test } from 'node:test'
import { INTEGRATION_EVENTS } from '../domain/message/integration-events.ts'
import { readConfigFile } from './file.ts'

const NATS = { name: 'sender', kind: 'nats', settings: { url: 'nats://127.0.0.1:4222', stream: 'SENT' } }
const KAFKA = { name: 'warehouse', kind: 'kafka', settings: { brokers: ['kafka.example:9092'] } }
const AMQP = { name: 'crm', kind: 'amqp', settings: { url: 'amqps://pombo:hidden@broker.example/x', exchange: '' } }

function read(...sinks: readonly object[]) {
  const problems: string[] = []
  const config = readConfigFile('pombo.json', { PASSWORD: 'hidden' }, () => JSON.stringify({ sinks }), problems)
  return { ...config, problems: problems.map((problem) => problem.replace('POMBO_CONFIG (pombo.json): ', '')) }
}

test('sinks publish every integration event unless they name types, and never texts by themselves', () => {
  const { sinks, problems } = read(NATS, { ...KAFKA, types: ['sms-outbound'] }, AMQP)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    sinks.map(({ name, types }) => [name, types]),
    [
      ['sender', INTEGRATION_EVENTS],
      ['warehouse', ['sms-outbound']],
      ['crm', INTEGRATION_EVENTS],
    ],
  )
  assert.ok(!INTEGRATION_EVENTS.includes('sms-outbound'))
})

test('a password comes from a variable', () => {
  const sasl = { mechanism: 'PLAIN', username: 'pombo', password: `\${PASSWORD}` }
  const { sinks } = read({ ...KAFKA, settings: { ...KAFKA.settings, sasl } })
  assert.deepEqual(sinks[0]?.settings, { ...KAFKA.settings, sasl: { ...sasl, password: 'hidden' } })
})

const withSettings = (sink: typeof KAFKA | typeof AMQP | typeof NATS, settings: object) => ({
  ...sink,
  settings: { ...sink.settings, ...settings },
})

for (const [sink, problem] of [
  [{ ...KAFKA, kind: 'redis' }, 'sinks/0/kind must be kafka, amqp or nats'],
  [{ ...KAFKA, name: 'a b' }, 'sinks/0/name must be a name of at most 64 letters, digits, - or _'],
  [{ ...KAFKA, types: ['sms.sent'] }, 'sinks/0/types/0 must be the name of an event'],
  [{ name: 'x', kind: 'kafka' }, 'sinks/0 is missing settings'],
  [{ ...AMQP, settings: { url: AMQP.settings.url } }, 'sinks/0/settings is missing exchange'],
  [
    withSettings(KAFKA, { brokers: ['kafka'] }),
    'sinks/0/settings/brokers/0 must be a broker such as kafka-1.example:9092',
  ],
  [withSettings(KAFKA, { acks: 1 }), 'sinks/0/settings has unknown keys; remove or correct acks'],
  [
    withSettings(AMQP, { url: 'http://user:hidden@x' }),
    'sinks/0/settings/url must be a URL that begins with amqp:// or amqps://',
  ],
  [withSettings(NATS, { prefix: 'a b' }), 'sinks/0/settings/prefix must be at most 100 letters, digits, ., _ or -'],
] as const) {
  test(`refuses: ${problem}`, () => assert.deepEqual(read(sink).problems, [problem]))
}

test('two sinks of one name would share their position', () => {
  assert.deepEqual(read(KAFKA, { ...AMQP, name: 'warehouse' }).problems, [
    'sinks/1/name is used by an earlier sink; choose another',
  ])
})
