import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Result, toOutcome } from './outcome.ts'

const lost = (mayHaveIt: boolean): Result => ({ kind: 'lost', reason: 'CONNECTION_LOST', mayHaveIt, hasNothing: false })
const refused = (text: string, isShared: boolean): Result => ({
  kind: 'refused',
  command: 'data',
  reply: { status: Number(text.slice(0, 3)), text },
  isShared,
})

test('a mail keeps our name, unless the server gave it another', () => {
  assert.deepEqual(toOutcome({ kind: 'taken' }, 'own'), {
    kind: 'accepted',
    providerMessageId: 'own',
    noDeliveryReports: true,
  })
  assert.deepEqual(toOutcome({ kind: 'taken', name: 'its' }, 'own'), {
    kind: 'accepted',
    providerMessageId: 'its',
    noDeliveryReports: true,
  })
})

test('what was lost is unknown only if the server may have all of it', () => {
  assert.deepEqual(
    [lost(true), lost(false)].map((result) => toOutcome(result, 'own').kind),
    ['unknown', 'deferred'],
  )
})

test('a refusal of the whole mail suppresses only a recipient that is alone', () => {
  const suppresses = (isShared: boolean) => 'suppresses' in toOutcome(refused('550 5.1.1 unknown', isShared), 'own')
  assert.deepEqual([suppresses(false), suppresses(true)], [true, false])
})
