import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { LOG_LINE } from './log-schema.ts'

const schema = Compile(LOG_LINE)
const BASE = { level: 'info', time: '2030-01-31T12:00:00.000Z', msg: 'something happened' }
const EVENT = {
  ...BASE,
  trace_id: '0af7651916cd43dd8448eb211c80319c',
  http_request_id: 'checkout-1138',
  tenant_id: 'acme',
  message_id: '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11',
  seq: 7,
  event: 'MessageCreated',
  status: 'queued',
  channel: 'sms',
  cycle: 1,
  attempt: 0,
  duration_ms: 0,
}

test('docs/log-line.schema.json is up to date', () => {
  const path = join(import.meta.dirname, '../../docs/log-line.schema.json')
  assert.equal(readFileSync(path, 'utf8'), `${JSON.stringify(LOG_LINE, null, 2)}\n`, 'stale: run npm run docs')
})

test('a line about an event needs its ids and its position', () => {
  assert(schema.Check(EVENT))
  for (const name of ['trace_id', 'tenant_id', 'message_id', 'seq', 'event', 'status'] as const) {
    const { [name]: _, ...rest } = EVENT
    assert(!schema.Check(rest), name)
  }
})

test('no line has a field that the schema does not know', () => {
  assert(schema.Check(BASE))
  for (const line of [EVENT, BASE]) assert(!schema.Check({ ...line, to: '+5511987654321' }))
  assert(!schema.Check({ ...BASE, seq: 7 }))
})
