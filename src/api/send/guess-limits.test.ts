import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../../domain/ids.ts'
import { notFound } from '../../flows/errors.ts'
import type { Checked } from '../../flows/otp/check-otp.ts'
import { type Instant, instant, later, millis, seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { limitGuesses, WRONG_CODES } from './guess-limits.ts'

const [ACME, UMBRELLA] = ['acme', 'umbrella'] as readonly string[] as readonly [TenantId, TenantId]
const SERVER = '192.0.2.1'
const BURST = WRONG_CODES.address.capacity

function openWorld() {
  let now: Instant = instant(1_000_000)
  const limits = limitGuesses(() => now)
  return {
    pass: (by: number) => {
      now = later(now, millis(by))
    },
    check: (status: Checked['status'], address = SERVER, tenantId = ACME) =>
      limits.admit(tenantId, address, async () => ({ status, remaining: 1 })),
    fail: (error: Error) => limits.admit(ACME, SERVER, () => Promise.reject(error)),
  }
}

const TOO_MANY = { code: 'TOO_MANY_ATTEMPTS' }

test('wrong codes of one address are refused after the burst, and then admitted at the rate', async () => {
  const { check, pass } = openWorld()
  for (let wrong = 0; wrong < BURST; wrong += 1) await check('invalid')
  await assert.rejects(check('invalid'), { ...TOO_MANY, retryAfter: 50 })
  await assert.rejects(check('verified'), TOO_MANY)
  pass(50)
  await check('exhausted')
  await assert.rejects(check('expired'), TOO_MANY)
  pass(1_000)
  for (let wrong = 0; wrong < WRONG_CODES.address.perSecond; wrong += 1) await check('invalid')
  await assert.rejects(check('invalid'), TOO_MANY)
})

test('another address, and another tenant at the same one, are not affected', async () => {
  const { check } = openWorld()
  for (let wrong = 0; wrong < BURST; wrong += 1) await check('invalid')
  await assert.rejects(check('invalid'), TOO_MANY)
  await check('invalid', '192.0.2.2')
  await check('invalid', SERVER, UMBRELLA)
})

test('wrong codes from many addresses are refused when they are too many for their tenant', async () => {
  const { check } = openWorld()
  const { capacity } = WRONG_CODES.tenant
  for (let wrong = 0; wrong < capacity; wrong += 1) await check('invalid', `192.0.2.${wrong % 250}`)
  await assert.rejects(check('invalid', '198.51.100.1'), TOO_MANY)
  await check('invalid', '198.51.100.1', UMBRELLA)
})

test('one server may check any number of codes, as long as a third of them are right', async () => {
  const { check } = openWorld()
  for (let person = 0; person < 2_000; person += 1) {
    for (const status of ['invalid', 'invalid', 'verified', 'already_verified'] as const) await check(status)
  }
})

test('right codes are not held up by others under way, and many wrong ones at once are paid for afterwards', async () => {
  let now = instant(0)
  const limits = limitGuesses(() => now)
  const all = (status: Checked['status'], count: number) =>
    Promise.all(Array.from({ length: count }, () => limits.admit(ACME, SERVER, async () => ({ status, remaining: 0 }))))
  await all('verified', 5 * BURST)
  await all('invalid', 2 * BURST)
  now = later(now, seconds(5))
  await assert.rejects(all('verified', 1), TOO_MANY)
  now = later(now, millis(50))
  await all('verified', 1)
})

test('a challenge that does not exist is a guess, and an outage is not', async () => {
  const { fail, check } = openWorld()
  for (let nth = 0; nth < BURST + 10; nth += 1) await assert.rejects(fail(new Unavailable('no database')), Unavailable)
  for (let nth = 0; nth < BURST; nth += 1) await assert.rejects(fail(notFound('challenge', 'x')), { code: 'NOT_FOUND' })
  await assert.rejects(check('invalid'), TOO_MANY)
})
