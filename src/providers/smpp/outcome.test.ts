import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { millis } from '../../lib/time.ts'
import { forMessage, forNow, forProvider, unknownOutcome } from '../provider-errors.ts'
import { messageIdsOf, type PartResult, toOutcome } from './outcome.ts'

const accepted = (messageId: string): PartResult => ({ kind: 'accepted', messageId })
const UNKNOWN: PartResult = unknownOutcome('CONNECTION_LOST', 'gone')
const DEFERRED: PartResult = { ...forNow('RATE_LIMITED', 'too fast'), retryAfter: millis(1000) }
const BAD_NUMBER: PartResult = forMessage('INVALID_NUMBER', 'no such number')
const NO_FUNDS: PartResult = forProvider('NO_FUNDS', 'no money left')

for (const [what, results, expected] of [
  [
    'accepts a message whose parts are all accepted, with the id of the first',
    [accepted('a'), accepted('b')],
    'accepted a',
  ],
  ['accepts parts without an id', [accepted(''), accepted('b')], 'accepted b'],
  ['uses our own id if no part has one', [accepted('')], 'accepted own'],
  ['defers a message whose only part is deferred', [DEFERRED], 'deferred RATE_LIMITED'],
  ['leaves a partly accepted, partly deferred message unknown', [accepted('a'), DEFERRED], 'unknown PARTLY_SENT'],
  ['rejects a message whose parts are all rejected', [NO_FUNDS, NO_FUNDS], 'rejected provider NO_FUNDS'],
  ['rejects a message with a rejected and a deferred part', [DEFERRED, NO_FUNDS], 'rejected provider NO_FUNDS'],
  ['prefers a rejection because of the message', [NO_FUNDS, BAD_NUMBER], 'rejected message INVALID_NUMBER'],
  [
    'does not offer a partly accepted, partly rejected message to another provider',
    [accepted('a'), NO_FUNDS],
    'rejected message PARTLY_REFUSED',
  ],
  [
    'nor if other parts are unknown or deferred',
    [accepted('a'), NO_FUNDS, UNKNOWN, DEFERRED],
    'rejected message PARTLY_REFUSED',
  ],
  ['leaves a message with an unknown part unknown', [accepted('a'), UNKNOWN, DEFERRED], 'unknown CONNECTION_LOST'],
  ['also beside a rejection that another provider might not share', [NO_FUNDS, UNKNOWN], 'unknown CONNECTION_LOST'],
  ['but rejects it if no provider could send it whole', [BAD_NUMBER, UNKNOWN], 'rejected message INVALID_NUMBER'],
] as const) {
  test(what, () => {
    const outcome = toOutcome(results, 'own')
    const blame = outcome.kind === 'rejected' ? `${outcome.blame} ` : ''
    const name = outcome.kind === 'accepted' ? outcome.providerMessageId : outcome.code
    assert.equal(`${outcome.kind} ${blame}${name}`, expected)
  })
}

test('never offers a message to another provider if the SMSC may have a part of it', () => {
  const part = fc.constantFrom(accepted('a'), UNKNOWN, DEFERRED, BAD_NUMBER, NO_FUNDS)
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (results) => {
      const outcome = toOutcome(results, 'own')
      const mayHave = results.some(({ kind }) => kind === 'accepted' || kind === 'unknown')
      const isOffered = outcome.kind === 'deferred' || (outcome.kind === 'rejected' && outcome.blame === 'provider')
      assert.ok(!(mayHave && isOffered))
      assert.equal(
        outcome.kind === 'accepted',
        results.every(({ kind }) => kind === 'accepted'),
      )
    }),
  )
})

test('returns the ids of the accepted parts in order', () => {
  assert.deepEqual(messageIdsOf([accepted('b'), UNKNOWN, accepted(''), accepted('a')]), ['b', 'a'])
})
