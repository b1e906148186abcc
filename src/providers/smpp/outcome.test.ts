import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { millis } from '../../lib/time.ts'
import { forMessage, forNow, forProvider, unknownOutcome } from '../provider-errors.ts'
import { namesOf, type PartResult, toOutcome } from './outcome.ts'

const taken = (name: string): PartResult => ({ kind: 'taken', name })
const LOST: PartResult = { kind: 'lost', outcome: unknownOutcome('CONNECTION_LOST', 'gone') }
const LEFT: PartResult = { kind: 'left', outcome: { ...forNow('RATE_LIMITED', 'too fast'), retryAfter: millis(1000) } }
const BAD_NUMBER: PartResult = { kind: 'refused', outcome: forMessage('INVALID_NUMBER', 'no such number') }
const NO_FUNDS: PartResult = { kind: 'refused', outcome: forProvider('NO_FUNDS', 'no money left') }

for (const [what, results, expected] of [
  ['all parts taken is a message accepted, by the name of the first', [taken('a'), taken('b')], 'accepted a'],
  ['parts that were not named are taken all the same', [taken(''), taken('b')], 'accepted b'],
  ['a message of which nothing was named goes by our own name', [taken('')], 'accepted own'],
  ['a part that was left leaves the message for later', [LEFT], 'deferred RATE_LIMITED'],
  ['some taken and some left is for the route to decide', [taken('a'), LEFT], 'unknown PARTLY_SENT'],
  ['a refusal is a refusal', [NO_FUNDS, NO_FUNDS], 'rejected provider NO_FUNDS'],
  ['a refusal beside what was left is a refusal', [LEFT, NO_FUNDS], 'rejected provider NO_FUNDS'],
  ['a fault of the message comes before one of the SMSC', [NO_FUNDS, BAD_NUMBER], 'rejected message INVALID_NUMBER'],
  ['some taken and some refused goes nowhere else', [taken('a'), NO_FUNDS], 'rejected message PARTLY_REFUSED'],
  ['whatever became of the others', [taken('a'), NO_FUNDS, LOST, LEFT], 'rejected message PARTLY_REFUSED'],
  ['a lost part leaves the message unknown', [taken('a'), LOST, LEFT], 'unknown CONNECTION_LOST'],
  ['also beside a refusal that another provider might not share', [NO_FUNDS, LOST], 'unknown CONNECTION_LOST'],
  ['but not where no provider could send it whole', [BAD_NUMBER, LOST], 'rejected message INVALID_NUMBER'],
] as const) {
  test(what, () => {
    const outcome = toOutcome(results, 'own')
    const blame = outcome.kind === 'rejected' ? `${outcome.blame} ` : ''
    const name = outcome.kind === 'accepted' ? outcome.providerMessageId : outcome.code
    assert.equal(`${outcome.kind} ${blame}${name}`, expected)
  })
}

test('what may be with the SMSC in part is never handed on as if it were not', () => {
  const part = fc.constantFrom(taken('a'), LOST, LEFT, BAD_NUMBER, NO_FUNDS)
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (results) => {
      const outcome = toOutcome(results, 'own')
      const mayHave = results.some(({ kind }) => kind === 'taken' || kind === 'lost')
      const isHandedOn = outcome.kind === 'deferred' || (outcome.kind === 'rejected' && outcome.blame === 'provider')
      assert.ok(!(mayHave && isHandedOn))
      assert.equal(
        outcome.kind === 'accepted',
        results.every(({ kind }) => kind === 'taken'),
      )
    }),
  )
})

test('names are those of the parts that have one, in their order', () => {
  assert.deepEqual(namesOf([taken('b'), LOST, taken(''), taken('a')]), ['b', 'a'])
})
