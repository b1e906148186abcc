import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type EventId, isHashed, type MessageId } from '../../domain/ids.ts'
import { fromStoredEventId, toStoredEventId } from './event-ids.ts'

const ID = '018f4f5e-7c1a-7abc-9def-0123456789ab' as MessageId
const readable = (text: string): EventId => `${ID}.${text}` as EventId

const part = fc.tuple(fc.nat(), fc.nat(), fc.stringMatching(/^[A-Za-z]{1,30}$/), fc.stringMatching(/^([0-9a-f]{16})?$/))
const someReadable = part.map(([cycle, attempt, kind, report]) =>
  readable(`${cycle}.${attempt}.${kind}${report === '' ? '' : `.${report}`}`),
)
const someHashed = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'))

test('an event id of either form is restored exactly', () => {
  fc.assert(
    fc.property(fc.oneof(someReadable, someHashed), (text) => {
      const id = text as EventId
      assert.equal(fromStoredEventId(ID, toStoredEventId(id)), id)
    }),
  )
})

test('only a hash is stored in 32 bytes, whatever the length of a readable id', () => {
  for (let length = 1; length <= 40; length += 1) {
    const id = readable(`1.1.${'K'.repeat(length)}`)
    assert.ok(!isHashed(id))
    assert.notEqual(toStoredEventId(id).length, 32)
    assert.equal(fromStoredEventId(ID, toStoredEventId(id)), id)
  }
})

test('a hash that looks like text stays a hash', () => {
  const bytes = Buffer.from('1.1.HandoffAttempted.0123456789a')
  assert.equal(bytes.length, 32)
  assert.equal(fromStoredEventId(ID, bytes), bytes.toString('hex'))
})

test('a readable id is stored without its message', () => {
  assert.equal(toStoredEventId(readable('1.1.HandoffAttempted')).toString(), '1.1.HandoffAttempted')
})

test('bytes within a larger buffer are read alone', () => {
  const page = Buffer.from('xx1.2.HandoffFailedxx')
  assert.equal(fromStoredEventId(ID, new Uint8Array(page).subarray(2, -2)), readable('1.2.HandoffFailed'))
})
