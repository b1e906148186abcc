import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toIso } from '../../lib/time.ts'
import type { Fact } from '../message/events.ts'
import type { Circumstances } from './circumstances.ts'
import { OVER } from './ended-cases.fixture.ts'
import {
  accepted,
  at,
  attempted,
  deferred,
  failed,
  MESSAGE,
  open,
  person,
  report,
  SMSC,
  story,
  unknown,
} from './explanation.fixture.ts'
import { explain } from './explanation.ts'
import { AT_THE_PROVIDER } from './provider-cases.fixture.ts'
import { SITUATIONS } from './situation.ts'
import { WAITING } from './waiting-cases.fixture.ts'

const CASES = [...WAITING, ...AT_THE_PROVIDER, ...OVER]

for (const { situation, when, facts, around, message, summary, next, actions } of CASES) {
  test(`${situation}: ${when}`, () => {
    const explained = explain(story(facts, around, { ...MESSAGE, ...message }))
    assert.equal(explained.situation, situation)
    assert.equal(explained.summary, summary)
    const expected = next && { text: next[0], at: next[1] === '?' ? undefined : toIso(at(next[1])) }
    const given = explained.next && { text: explained.next.text, at: explained.next.at && toIso(explained.next.at) }
    assert.deepEqual(given, expected)
    assert.deepEqual(
      explained.actions.map(({ action }) => action),
      actions,
    )
  })
}

test('every situation has a case', () => {
  assert.deepEqual(
    SITUATIONS.filter((one) => !CASES.some(({ situation }) => situation === one)),
    [],
  )
})

const FACTS: readonly Fact[] = [
  attempted(),
  attempted(SMSC),
  accepted,
  deferred(20),
  unknown(20),
  failed('ODD_CODE'),
  { kind: 'DeadLettered', code: 'BUSY', detail: 'x' },
  { kind: 'MessageExpired' },
  { kind: 'ResendRequested', by: 'person', ...person },
  { kind: 'MessageErased', kept: 'recipient' },
  report('ProviderAccepted'),
  report('ProviderDelivered'),
  report('ProviderBounced'),
  report('ProviderTimedOut'),
]

test('whatever happened, an explanation is whole sentences and names no internal value', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...FACTS), { maxLength: 8 }),
      fc.constantFrom<Partial<Circumstances>>(
        {},
        { providers: [] },
        { providers: [open(0, 40)] },
        { isSuspended: true },
      ),
      fc.nat({ max: 100_000 }),
      (facts, around, later) => {
        const { summary, reasons, next, actions } = explain(story(facts, { ...around, now: at(10 + later) }))
        for (const text of [summary, next?.text ?? 'None.', ...[...reasons, ...actions].map((one) => one.text)]) {
          assert.match(text, /^[A-Za-z].*[.]$/)
          assert.doesNotMatch(text, /undefined|NaN|Infinity|null|\[object|\.\.| {2}/)
        }
      },
    ),
  )
})
