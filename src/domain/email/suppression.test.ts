import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, later, seconds } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import type { EmailAddress } from './address.ts'
import {
  hasBeginning,
  isInForce,
  parseSuppressionCursor,
  type Suppression,
  succeeds,
  suppressionUntil,
  toBeginnings,
  toSuppressionCursor,
} from './suppression.ts'

const AT = instant(1_000_000)
const [SOON, LATE] = [later(AT, seconds(1)), later(AT, seconds(9))]
const ANA = 'ana@example.com' as EmailAddress

const entry = (reason: Suppression['reason'], expiresAt?: Suppression['expiresAt']): Suppression => ({
  tenantId: 'north' as TenantId,
  address: ANA,
  reason,
  createdAt: AT,
  ...(expiresAt === undefined ? {} : { expiresAt }),
})

for (const [old, next, takesItsPlace] of [
  [entry('complaint'), entry('manual', SOON), true],
  [entry('complaint'), entry('unsubscribe'), true],
  [entry('manual'), entry('manual', SOON), true],
  [entry('hard_bounce', SOON), entry('hard_bounce', LATE), true],
  [entry('hard_bounce', LATE), entry('complaint'), true],
  [entry('manual', SOON), entry('hard_bounce', LATE), true],
  [entry('unsubscribe', LATE), entry('complaint'), true],
  [entry('complaint'), entry('hard_bounce', LATE), false],
  [entry('manual'), entry('hard_bounce', LATE), false],
  [entry('unsubscribe'), entry('hard_bounce'), false],
  [entry('manual'), entry('complaint'), false],
  [entry('complaint'), entry('complaint'), false],
  [entry('hard_bounce', LATE), entry('hard_bounce', SOON), false],
  [entry('hard_bounce', LATE), entry('hard_bounce', LATE), false],
] as const) {
  const told = ({ reason, expiresAt }: Suppression): string =>
    `${reason} ${expiresAt === undefined ? 'for good' : expiresAt === SOON ? 'for a second' : 'for long'}`
  test(`${told(next)} ${takesItsPlace ? 'takes' : 'does not take'} the place of ${told(old)}`, () => {
    assert.equal(succeeds(old, next), takesItsPlace)
  })
}

test('a hard bounce is for ninety days, a complaint for good', () => {
  assert.equal(suppressionUntil('hard_bounce', AT), AT + 90 * 24 * 60 * 60 * 1000)
  assert.equal(suppressionUntil('complaint', AT), undefined)
})

test('an entry is in force until its end, and no longer', () => {
  assert.deepEqual(
    [AT, instant(SOON - 1), SOON].map((at) => isInForce({ expiresAt: SOON }, at)),
    [true, true, false],
  )
  assert.ok(isInForce({}, LATE))
})

test('an address is found by its beginning and by that of its domain, in any case, and by nothing else', () => {
  const isFound = (text: string): boolean => hasBeginning(ANA, toBeginnings(text))
  for (const text of ['', 'a', 'ANA@', 'ana@example.com', 'exam', '@', '@Exam']) assert.ok(isFound(text), text)
  for (const text of ['na', 'com', '@com', '@ana', '@@', 'ana@example.com.br']) assert.ok(!isFound(text), text)
})

test('a cursor is read as it was written, and no other is', () => {
  const place = { createdAt: AT, address: 'a.b@example.com' as EmailAddress }
  assert.deepEqual(parseSuppressionCursor(toSuppressionCursor(place)), place)
  for (const cursor of [
    '',
    '.',
    'a',
    'a.',
    '.a@example.com',
    'A.a@example.com',
    'zzzzzzzzzz.a@example.com',
    'a.nobody',
  ]) {
    assert.equal(parseSuppressionCursor(cursor), undefined, cursor)
  }
})
