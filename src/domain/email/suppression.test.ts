import assert from 'node:assert/strict'
import { test } from 'node:test'
import { omitUndefined } from '../../lib/omit-undefined.ts'
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
  ...omitUndefined({ expiresAt }),
})

for (const [old, next, isReplaced] of [
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
  const describe = ({ reason, expiresAt }: Suppression): string =>
    `${reason} ${expiresAt === undefined ? 'without expiry' : expiresAt === SOON ? 'for a second' : 'for nine seconds'}`
  test(`${describe(next)} ${isReplaced ? 'replaces' : 'does not replace'} ${describe(old)}`, () => {
    assert.equal(succeeds(old, next), isReplaced)
  })
}

test('a hard bounce suppresses for 90 days, a complaint indefinitely', () => {
  assert.equal(suppressionUntil('hard_bounce', AT), AT + 90 * 24 * 60 * 60 * 1000)
  assert.equal(suppressionUntil('complaint', AT), undefined)
})

test('an entry is in force until its expiry', () => {
  assert.deepEqual(
    [AT, instant(SOON - 1), SOON].map((at) => isInForce({ expiresAt: SOON }, at)),
    [true, true, false],
  )
  assert.ok(isInForce({}, LATE))
})

test('matches an address by a prefix of the address or of its domain, case-insensitively', () => {
  const isFound = (text: string): boolean => hasBeginning(ANA, toBeginnings(text))
  for (const text of ['', 'a', 'ANA@', 'ana@example.com', 'exam', '@', '@Exam']) assert.ok(isFound(text), text)
  for (const text of ['na', 'com', '@com', '@ana', '@@', 'ana@example.com.br']) assert.ok(!isFound(text), text)
})

test('parses its own cursors and refuses all others', () => {
  const position = { createdAt: AT, address: 'a.b@example.com' as EmailAddress }
  assert.deepEqual(parseSuppressionCursor(toSuppressionCursor(position)), position)
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
