import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant } from '../../lib/time.ts'
import { someErasure } from '../../ports/erasures.contract.ts'
import type { MessageId } from '../ids.ts'
import type { Erasure } from './erasure.ts'
import { toCanonicalJson, toReceipt } from './erasure-receipt.ts'

const FACTS = { cleaned: [{ store: 'index', action: 'Cleaned.' }], remains: [{ where: 'a', what: 'b', until: 'c' }] }

test('a receipt contains the counts, the failures with reasons, the cleaned stores and what remains', () => {
  const { suppression: _, ...rest } = someErasure({ requestedAt: instant(0) })
  const failures = [{ messageId: 'm1' as MessageId, reason: 'A store was unavailable.' }]
  const erasure: Erasure = { ...rest, erased: 4, failed: 1, failures, completedAt: instant(1000) }
  assert.deepEqual(toReceipt(erasure, FACTS), {
    version: 1,
    erasure_id: erasure.id,
    tenant_id: 'north',
    account_id: 'shop',
    recipient_hash: erasure.toKey,
    requested_at: '1970-01-01T00:00:00.000Z',
    completed_at: '1970-01-01T00:00:01.000Z',
    messages: { found: 5, erased: 4, failed: 1 },
    failures: [{ message_id: 'm1', reason: 'A store was unavailable.' }],
    ...FACTS,
  })
})

test('a receipt states that the address stays suppressed, why and until when', () => {
  const remainsOf = (suppression: NonNullable<Erasure['suppression']>) =>
    toReceipt(someErasure({ suppression }), FACTS).remains[0]
  assert.match(remainsOf({ reason: 'complaint' })?.what ?? '', /complaint/)
  assert.match(remainsOf({ reason: 'complaint' })?.until ?? '', /until you remove it/i)
  assert.equal(remainsOf({ reason: 'hard_bounce', until: instant(0) })?.until, '1970-01-01T00:00:00.000Z')
})

test('canonical JSON does not depend on key order and parses to the same value', () => {
  const shuffle = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffle)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .map(([name, field]) => [name, shuffle(field)] as const)
        .toReversed(),
    )
  }
  const property = fc.property(fc.jsonValue(), (value) => {
    const plain: unknown = JSON.parse(JSON.stringify(value))
    assert.equal(toCanonicalJson(shuffle(plain)), toCanonicalJson(plain))
    assert.deepEqual(JSON.parse(toCanonicalJson(plain)), plain)
  })
  fc.assert(property)
  assert.equal(toCanonicalJson({ b: [1, { d: null, c: 'ü"' }], a: true }), '{"a":true,"b":[1,{"c":"ü\\"","d":null}]}')
})
