import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createdEntry, NOON, someContent, someMessage } from '../../ports/samples.contract.ts'
import type { TenantId } from '../ids.ts'
import { WEBHOOK_EVENT_TYPES } from './endpoint.ts'
import { firstEventOf, toExamplePayload } from './example-payload.ts'
import { toPayload } from './payload.ts'

const TENANT = 'north' as TenantId

test('an example of a message has the fields of a real one, and an id that no message has', () => {
  const real = Object.keys(toPayload(createdEntry(someMessage()).event, someContent()).data)
  for (const type of WEBHOOK_EVENT_TYPES.filter((one) => one.startsWith('message.'))) {
    const { data, ...payload } = toExamplePayload(type, TENANT, NOON)
    assert.equal(payload.type, type)
    assert.deepEqual(Object.keys(data), real)
    assert.equal(`message.${data['status']}`, type)
    assert.match(String(data['message_id']), /^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    assert.deepEqual([data['tags'], data['metadata']], [['test'], { test: 'true' }])
  }
})

test('the default is the first event that the endpoint subscribes to', () => {
  assert.equal(firstEventOf({ events: [] }), 'message.queued')
  assert.equal(firstEventOf({ events: ['quota.warning', 'message.failed'] }), 'message.failed')
  assert.equal(firstEventOf({ events: ['dead_letters.high'] }), 'dead_letters.high')
})
