import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Result, toOutcome } from './outcome.ts'

const lost = (isFullySent: boolean): Result => ({
  kind: 'lost',
  reason: 'CONNECTION_LOST',
  isFullySent,
  isUnsent: false,
})
const refused = (text: string, isAboutAll: boolean): Result => ({
  kind: 'refused',
  command: 'data',
  reply: { status: Number(text.slice(0, 3)), text },
  isAboutAll,
})

test('keeps our Message-ID unless the server replaced it', () => {
  assert.deepEqual(toOutcome({ kind: 'accepted' }, 'own'), {
    kind: 'accepted',
    providerMessageId: 'own',
    noDeliveryReports: true,
  })
  assert.deepEqual(toOutcome({ kind: 'accepted', messageId: 'its' }, 'own'), {
    kind: 'accepted',
    providerMessageId: 'its',
    noDeliveryReports: true,
  })
})

test('leaves the outcome unknown only if the server may have the whole mail', () => {
  assert.deepEqual(
    [lost(true), lost(false)].map((result) => toOutcome(result, 'own').kind),
    ['unknown', 'deferred'],
  )
})

test('suppresses the recipient of a refused mail only if there are no copies', () => {
  const suppresses = (isAboutAll: boolean) => 'suppresses' in toOutcome(refused('550 5.1.1 unknown', isAboutAll), 'own')
  assert.deepEqual([suppresses(false), suppresses(true)], [true, false])
})

test("keeps the server's own codes and none of its text", () => {
  const originalCodeOf = (text: string) => {
    const outcome = toOutcome(refused(text, false), 'own')
    return 'originalCode' in outcome && outcome.originalCode
  }
  assert.deepEqual(['550 5.1.1 <ana@example.com> unknown', '421 try later', '550 4.1.1 odd'].map(originalCodeOf), [
    '550 5.1.1',
    '421',
    '550',
  ])
})
