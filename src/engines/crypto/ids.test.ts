import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type AccountId,
  type AttemptRef,
  type EventId,
  isHashed,
  type MessageId,
  parseMessageId,
  type TenantId,
  withinMessage,
} from '../../domain/ids.ts'
import { instant } from '../../lib/time.ts'
import type { KeyNamespace } from '../../ports/world.ts'
import { openIds } from './ids.ts'
import type { Random } from './random.ts'

const NOW = 1_790_000_000_000
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const UUID_V8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const ids = openIds()
const millisecondOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** A source that returns these digits one by one, and then repeats the last. */
function loaded(...digits: readonly string[]): Random {
  let turn = 0
  const hex = (length: number): string => {
    const digit = digits[Math.min(turn, digits.length - 1)] ?? '0'
    turn += 1
    return digit.repeat(length * 2)
  }
  return { hex, bytes: (length) => new Uint8Array(Buffer.from(hex(length), 'hex')) }
}

test('a message id is a UUIDv7 that carries its millisecond', () => {
  const at = fc.integer({ min: 0, max: 2 ** 48 - 1 })
  fc.assert(
    fc.property(at, (at) => {
      const id = openIds().messageId(instant(at))
      assert.match(id, UUID_V7)
      assert.equal(parseMessageId(id), id)
      assert.equal(millisecondOf(id), at)
    }),
  )
})

test('version and variant are set whatever the random digits', () => {
  for (const digit of '0123456789abcdef') assert.match(openIds(loaded(digit)).messageId(instant(NOW)), UUID_V7)
})

test('message ids only grow, within one millisecond and when the clock is set back', () => {
  const steps = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(steps, (steps) => {
      const ids = openIds()
      const made = steps.map((step) => ids.messageId(instant(NOW + step)))
      assert.deepEqual(made, made.toSorted())
      assert.equal(new Set(made).size, made.length)
    }),
  )
})

test('ten thousand message ids of one millisecond grow, borrowing from the following milliseconds', () => {
  const ids = openIds()
  const made = Array.from({ length: 10_000 }, () => ids.messageId(instant(NOW)))
  assert.deepEqual(made, made.toSorted())
  assert.equal(new Set(made).size, made.length)
  const last = millisecondOf(made.at(-1) ?? '')
  assert.ok(last > NOW && last <= NOW + 5, `${last - NOW} ms ahead`)
})

test('the counter of a millisecond starts in its lower half, so that it has room to grow', () => {
  for (const digit of '07f') {
    const count = Number.parseInt(openIds(loaded(digit)).messageId(instant(NOW)).slice(15, 18), 16)
    assert.ok(count <= 0x7ff, `${count}`)
  }
})

test('two processes do not make the same message id in the same millisecond', () => {
  const other = openIds()
  const made = Array.from({ length: 1_000 }, () => [ids.messageId(instant(NOW)), other.messageId(instant(NOW))]).flat()
  assert.equal(new Set(made).size, made.length)
})

const text = fc.string({ unit: 'binary', maxLength: 12 })
const keyed = fc.record({
  tenantId: text.map((text) => text as TenantId),
  accountId: text.map((text) => text as AccountId),
  namespace: fc.constantFrom('messages' as const, 'otp' as const),
  key: text,
  generation: fc.nat({ max: 3 }),
})

test('an idempotency key determines the message id, a UUIDv8', () => {
  fc.assert(
    fc.property(keyed, (from) => {
      const id = ids.keyedMessageId(from)
      assert.match(id, UUID_V8)
      assert.equal(parseMessageId(id), id)
      assert.equal(openIds().keyedMessageId({ ...from }), id)
    }),
  )
})

test('different tenants, accounts, keys and generations give different ids', () => {
  fc.assert(
    fc.property(keyed, keyed, (one, other) => {
      const isSame = JSON.stringify(one) === JSON.stringify(other)
      assert.equal(ids.keyedMessageId(one) === ids.keyedMessageId(other), isSame)
    }),
  )
  const of = (tenant: string, account: string, key: string, generation: number, namespace: KeyNamespace = 'messages') =>
    ids.keyedMessageId({ tenantId: tenant as TenantId, accountId: account as AccountId, namespace, key, generation })
  const near = [of('ab', 'c', 'd', 0), of('a', 'bc', 'd', 0), of('a', 'b', 'cd', 0), of('a', 'b","c', 'd', 0)]
  const later = [of('a', 'b', 'c', 1), of('a', 'b', 'c1', 0), of('a', 'b', 'c', 11), of('a', 'b', '\ud800', 0)]
  const codes = [of('a', 'b', 'c', 1, 'otp'), of('a', 'otp', 'c', 1), of('a', 'b', 'otp\0c', 1)]
  const all = [...near, ...later, ...codes]
  assert.equal(new Set(all).size, all.length)
})

const ref = fc.record({
  messageId: fc.uuid().map((id) => id as MessageId),
  cycle: fc.integer({ min: 1, max: 20 }),
  attempt: fc.integer({ min: 0, max: 20 }),
})
const isEqual = (one: AttemptRef, other: AttemptRef): boolean => JSON.stringify(one) === JSON.stringify(other)

test('an attempt id is stable and unique to its attempt', () => {
  fc.assert(
    fc.property(ref, ref, (one, other) => {
      assert.match(ids.attemptId(one), /^[0-9a-f]{64}$/)
      assert.equal(openIds().attemptId({ ...one }), ids.attemptId(one))
      assert.equal(ids.attemptId(one) === ids.attemptId(other), isEqual(one, other))
    }),
  )
  const of = (cycle: number, attempt: number): string => ids.attemptId({ messageId: 'm' as MessageId, cycle, attempt })
  assert.notEqual(of(1, 11), of(11, 1))
})

const HASHED = 'f'.repeat(64) as EventId
const kind = fc.stringMatching(/^[A-Z][A-Za-z]{0,20}$/)

test('an event id is stable, and differs by attempt, kind and report, in either form', () => {
  fc.assert(
    fc.property(ref, kind, text, fc.constantFrom(undefined, HASHED), (ref, kind, report, after) => {
      const eventId = (ref: AttemptRef, kind: string, report: string) => ids.eventId(ref, kind, report, after)
      const id = eventId(ref, kind, report)
      assert.equal(isHashed(id), after === HASHED)
      assert.equal(openIds().eventId({ ...ref }, kind, report, after), id)
      const others = [
        eventId({ ...ref, cycle: ref.cycle + 1 }, kind, report),
        eventId({ ...ref, attempt: ref.attempt + 1 }, kind, report),
        eventId(ref, `${kind}s`, report),
        eventId(ref, kind, `${report}!`),
        ids.attemptId(ref),
      ]
      assert.ok(!others.some((other) => `${other}` === id))
    }),
  )
})

test('an event id is readable and short, and contains no text of a provider', () => {
  fc.assert(
    fc.property(ref, fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), (ref, report) => {
      const { messageId, cycle, attempt } = ref
      const name = `${messageId}.${cycle}.${attempt}.ProviderDelivered`
      assert.equal(ids.eventId(ref, 'ProviderDelivered', ''), name)
      const id = ids.eventId(ref, 'ProviderDelivered', report)
      assert.ok(id.startsWith(`${name}.`))
      assert.match(id.slice(name.length), /^\.[0-9a-f]{16}$/)
      assert.equal(withinMessage(id), id.slice(messageId.length + 1))
    }),
  )
})

test('an event id has the form of the one before it, and the first one the form that was chosen', () => {
  const first = { messageId: '018f4f5e-7c1a-7abc-9def-0123456789ab' as MessageId, cycle: 1, attempt: 0 }
  for (const form of ['readable', 'hashed'] as const) {
    const created = openIds(undefined, form).eventId(first, 'MessageCreated', '')
    assert.equal(isHashed(created), form === 'hashed')
    for (const other of ['readable', 'hashed'] as const) {
      const next = openIds(undefined, other).eventId(first, 'MessageValidated', '', created)
      assert.equal(isHashed(next), form === 'hashed')
    }
  }
})

test('ids of stored records do not change between releases', () => {
  const ref = { messageId: '018f4f5e-7c1a-7abc-9def-0123456789ab' as MessageId, cycle: 1, attempt: 2 }
  const key = { tenantId: 'acme' as TenantId, accountId: 'shop' as AccountId, key: 'order-7', generation: 0 } as const
  assert.equal(ids.keyedMessageId({ ...key, namespace: 'messages' }), 'ca77dd8f-1e35-85ab-88a8-d1cddc089294')
  assert.match(ids.attemptId(ref), /^40d19a16aeec7376102ec247abc82809/)
  assert.match(ids.eventId(ref, 'HandoffAccepted', '', HASHED), /^4483122e881ee95b59199b14964c3c08/)
  assert.match(ids.eventId(ref, 'ProviderDelivered', 'r1', HASHED), /^6fe64b3a1acf43179e10a7a35015c270/)
  assert.equal(ids.eventId(ref, 'HandoffAccepted', ''), `${ref.messageId}.1.2.HandoffAccepted`)
  assert.equal(ids.eventId(ref, 'ProviderDelivered', 'r1'), `${ref.messageId}.1.2.ProviderDelivered.38edd8d1053fa194`)
})

test('trace and span ids are hexadecimal and never repeat', () => {
  const traces = Array.from({ length: 1_000 }, () => ids.traceId())
  const spans = Array.from({ length: 1_000 }, () => ids.spanId())
  assert.ok(traces.every((id) => /^[0-9a-f]{32}$/.test(id)))
  assert.ok(spans.every((id) => /^[0-9a-f]{16}$/.test(id)))
  assert.equal(new Set([...traces, ...spans]).size, 2_000)
})

test('draws again when all digits are zero, which trace context does not allow', () => {
  const ids = () => openIds(loaded('0', '0', '5'))
  assert.equal(ids().traceId(), '5'.repeat(32))
  assert.equal(ids().spanId(), '5'.repeat(16))
})
