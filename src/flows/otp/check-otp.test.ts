import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import { openCodeHasher } from '../../engines/crypto/code-hasher.ts'
import { drawCode } from '../../engines/crypto/draw-code.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import type { Challenges } from '../../ports/challenges.ts'
import { TenantOverload } from '../../ports/unavailable.ts'
import { START, TENANT } from '../gateway.fixture.ts'
import { type Checked, checkOtp } from './check-otp.ts'
import { openOtpGateway, otherThan, WANTED } from './otp.fixture.ts'

const hasher = openCodeHasher({ masterKey: randomBytes(32), cost: 4, threads: 2, waitingPerTenant: 500 })
after(() => hasher[Symbol.asyncDispose]())
const world = { openEngine: openMemoryEngine, ids: openIds(), hasher, drawCode }

const [UNKNOWN, OTHER] = [
  '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11',
  '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e12',
] as readonly string[] as readonly [MessageId, MessageId]
const VERIFIED: Checked = { status: 'verified', remaining: 0 }
const ALREADY: Checked = { status: 'already_verified', remaining: 0 }
const EXHAUSTED: Checked = { status: 'exhausted', remaining: 0 }
const EXPIRED: Checked = { status: 'expired', remaining: 0 }
const invalid = (remaining: number): Checked => ({ status: 'invalid', remaining })

const terms = fc.record({
  ttl: fc.integer({ min: 30, max: 3600 }).map(seconds),
  maxAttempts: fc.integer({ min: 1, max: 10 }),
})
const runs = { numRuns: 100 }

test('S1-P5 the right code verifies in time and within the attempts', async () => {
  const scene = fc.record({
    terms,
    wrong: fc.nat(),
    waited: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  })
  const property = fc.asyncProperty(scene, async ({ terms, wrong, waited }) => {
    const gateway = openOtpGateway(world)
    const { id, code } = await gateway.send(terms)
    gateway.pass(millis(Math.floor(waited * terms.ttl)))
    const wrongs = wrong % terms.maxAttempts
    for (let nth = 1; nth <= wrongs; nth += 1) {
      assert.deepEqual(await gateway.check(id, otherThan(code)), invalid(terms.maxAttempts - nth))
    }
    assert.deepEqual(await gateway.check(id, code), VERIFIED)
  })
  await fc.assert(property, runs)
})

test('S1-P6 a verified challenge never verifies again, with any code at any time', async () => {
  const scene = fc.record({
    terms,
    guesses: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
    gap: fc.nat(7_200_000),
  })
  const property = fc.asyncProperty(scene, async ({ terms, guesses, gap }) => {
    const gateway = openOtpGateway(world)
    const { id, code } = await gateway.send(terms)
    assert.deepEqual(await gateway.check(id, code), VERIFIED)
    for (const isRight of guesses) {
      gateway.pass(millis(gap))
      await gateway.end()
      assert.deepEqual(await gateway.check(id, isRight ? code : otherThan(code)), ALREADY)
    }
  })
  await fc.assert(property, runs)
})

test('S1-P7 after the last attempt no code verifies, not even the right one', async () => {
  const property = fc.asyncProperty(terms, fc.nat(5), async (terms, more) => {
    const gateway = openOtpGateway(world)
    const { id, code } = await gateway.send(terms)
    for (let left = terms.maxAttempts - 1; left > 0; left -= 1) {
      assert.deepEqual(await gateway.check(id, otherThan(code)), invalid(left))
    }
    assert.deepEqual(await gateway.check(id, otherThan(code)), EXHAUSTED)
    gateway.compared.length = 0
    for (let nth = 0; nth <= more; nth += 1) {
      await gateway.end()
      assert.deepEqual(await gateway.check(id, nth % 2 === 0 ? code : otherThan(code)), EXHAUSTED)
    }
    assert.deepEqual(gateway.compared, [])
  })
  await fc.assert(property, runs)
})

test('S1-P8 from its expiry on no code verifies and none is compared', async () => {
  const property = fc.asyncProperty(terms, fc.nat(7_200_000), fc.boolean(), async (terms, late, isRight) => {
    const gateway = openOtpGateway(world)
    const { id, code, expiresAt } = await gateway.send(terms)
    gateway.passTo(later(expiresAt, millis(late)))
    assert.deepEqual(await gateway.check(id, isRight ? code : otherThan(code)), EXPIRED)
    await gateway.end()
    assert.deepEqual(await gateway.check(id, code), EXPIRED)
    assert.deepEqual(gateway.compared, [])
  })
  await fc.assert(property, runs)
})

test('S1-P8 one millisecond before its expiry the right code still verifies', async () => {
  const gateway = openOtpGateway(world)
  const { id, code, expiresAt } = await gateway.send()
  gateway.passTo(later(expiresAt, millis(-1)))
  assert.deepEqual(await gateway.check(id, code), VERIFIED)
})

test('of 200 concurrent wrong guesses only the allowed number is compared', async () => {
  const gateway = openOtpGateway(world)
  const { id, code } = await gateway.send()
  const checked = await Promise.all(Array.from({ length: 200 }, () => gateway.check(id, otherThan(code))))
  assert.equal(gateway.compared.length, 3)
  assert.equal(checked.filter(({ status }) => status === 'invalid').length, 2)
  assert.equal(checked.filter(({ status }) => status === 'exhausted').length, 198)
})

test('of many concurrent right guesses exactly one verifies', async () => {
  const gateway = openOtpGateway(world)
  for (let round = 0; round < 20; round += 1) {
    gateway.pass(seconds(600))
    const { id, code } = await gateway.send({ maxAttempts: 10, idempotencyKey: `k${round}` })
    const checked = await Promise.all(Array.from({ length: 200 }, () => gateway.check(id, code)))
    assert.equal(checked.filter(({ status }) => status === 'verified').length, 1)
    assert.equal(checked.filter(({ status }) => status === 'invalid').length, 0)
  }
})

test('an unknown, foreign or unarmed challenge returns NOT_FOUND after the same lookup, and nothing is compared', async () => {
  const gateway = openOtpGateway(world)
  const { id, code } = await gateway.send()
  const { challenges } = gateway.deps
  const unarmed = { ...WANTED, id: OTHER, createdAt: START, expiresAt: later(START, seconds(300)) }
  await challenges.begin(unarmed)

  const lookups: string[] = []
  const noting: Challenges = {
    ...challenges,
    claim: (...args) => {
      lookups.push('claim')
      return challenges.claim(...args)
    },
    find: (...args) => {
      lookups.push('find')
      return challenges.find(...args)
    },
  }
  const deps = { ...gateway.deps, challenges: noting }
  for (const [tenantId, sought] of [
    [TENANT, UNKNOWN],
    ['south' as TenantId, id],
    [TENANT, OTHER],
  ] as const) {
    lookups.length = 0
    await assert.rejects(checkOtp(deps, tenantId, { id: sought, code }), { code: 'NOT_FOUND' })
    assert.deepEqual(lookups, ['find'])
  }
  assert.deepEqual(gateway.compared, [])
  assert.equal((await challenges.find({ tenantId: TENANT, id }))?.attempts, 0)
})

test('a check that finds no place to wait uses no attempt', async () => {
  const gateway = openOtpGateway(world)
  const { id, code } = await gateway.send()
  const full = { ...gateway.deps.hasher, reserve: unavailable }
  await assert.rejects(checkOtp({ ...gateway.deps, hasher: full }, TENANT, { id, code }), TenantOverload)
  assert.equal((await gateway.deps.challenges.find({ tenantId: TENANT, id }))?.attempts, 0)
  assert.deepEqual(await gateway.check(id, code), VERIFIED)
})

const unavailable = (): never => {
  throw new TenantOverload('too many wait')
}
