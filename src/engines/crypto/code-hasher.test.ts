import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { verifySync } from '@node-rs/bcrypt'
import fc from 'fast-check'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { CodeHash } from '../../domain/otp/challenge.ts'
import { TenantOverload, Unavailable } from '../../ports/unavailable.ts'
import { type CodeHasherOptions, openCodeHasher } from './code-hasher.ts'
import { drawCode } from './draw-code.ts'

const ACME = 'acme' as TenantId
const of = (id: string, tenantId = ACME) => ({ tenantId, id: id as MessageId })
const ID = of('3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11')
const OTHER_ID = of('3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e12')
const FOREIGN = of('3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e13', 'umbrella' as TenantId)
const MASTER_KEY = randomBytes(32)
const open = (wanted: Partial<CodeHasherOptions> = {}) =>
  openCodeHasher({ masterKey: MASTER_KEY, cost: 4, threads: 2, ...wanted })

const codes = fc.integer({ min: 0, max: 999_999 }).map((value) => String(value).padStart(6, '0'))

test('S1-P4 the hash of a code neither is nor contains the code', async () => {
  await using hasher = open()
  const property = fc.asyncProperty(codes, fc.uuid(), async (code, id) => {
    const hash = await hasher.hash(of(id), code)
    assert.notEqual(hash, code)
    assert.match(hash, /^\$2[aby]\$04\$[./A-Za-z0-9]{53}$/)
    assert.equal(verifySync(code, hash), false)
  })
  await fc.assert(property, { numRuns: 200 })
})

test('only the same code, challenge and master key match a hash', async () => {
  await using hasher = open()
  await using otherKey = open({ masterKey: randomBytes(32) })
  const property = fc.asyncProperty(codes, codes, async (code, other) => {
    fc.pre(code !== other)
    const hash = await hasher.hash(ID, code)
    assert.equal(await hasher.matches(ID, code, hash), true)
    assert.equal(await hasher.matches(ID, other, hash), false)
    assert.equal(await hasher.matches(OTHER_ID, code, hash), false)
    assert.equal(await otherKey.matches(ID, code, hash), false)
  })
  await fc.assert(property, { numRuns: 100 })
})

test('two hashes of one code differ', async () => {
  await using hasher = open()
  assert.notEqual(await hasher.hash(ID, '123456'), await hasher.hash(ID, '123456'))
})

test('matches a hash of another cost or another process', async () => {
  await using before = open({ cost: 5 })
  await using after = open({ cost: 4 })
  const hash = await before.hash(ID, '000000')
  assert.match(hash, /^\$2[aby]\$05\$/)
  assert.equal(await after.matches(ID, '000000', hash), true)
})

test('hashing does not block the main thread', async () => {
  await using hasher = open({ cost: 12, threads: 1 })
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, 1)
  await hasher.hash(ID, '123456')
  clearInterval(timer)
  assert.ok(ticks >= 5, `${ticks} ticks`)
})

test('codes are refused when too many wait, and the others are served', async () => {
  await using hasher = open({ threads: 1, waiting: 3 })
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => hasher.hash(ID, '123456')))
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  assert.ok(refused.length > 0 && refused.every(({ reason }) => reason instanceof Unavailable))
  // The thread has two, and three wait.
  assert.equal(outcomes.length - refused.length, 5)
  assert.equal(await hasher.matches(ID, '123456', await hasher.hash(ID, '123456')), true)
})

test('a tenant with too many waiting codes is refused, and another one is served', async () => {
  await using hasher = open({ threads: 1, waitingPerTenant: 3 })
  const own = Promise.allSettled(Array.from({ length: 20 }, () => hasher.hash(ID, '123456')))
  const foreign = hasher.hash(FOREIGN, '123456')
  const refused = (await own).filter((outcome) => outcome.status === 'rejected')
  assert.ok(refused.length === 15 && refused.every(({ reason }) => reason instanceof TenantOverload))
  assert.match(await foreign, /^\$2/)
})

test('places for comparisons are bounded, of each tenant and of all', async () => {
  await using hasher = open({ threads: 1, waiting: 3, waitingPerTenant: 2 })
  const places = [hasher.reserve(ACME), hasher.reserve(ACME)]
  assert.throws(() => hasher.reserve(ACME), TenantOverload)
  const last = hasher.reserve(FOREIGN.tenantId)
  assert.throws(
    () => hasher.reserve('third' as TenantId),
    (error: unknown) => error instanceof Unavailable && !(error instanceof TenantOverload),
  )
  for (const place of [...places, last]) place[Symbol.dispose]()
  hasher.reserve(ACME)[Symbol.dispose]()
})

test('a new code waits for one guess of each thread and one of its turn, however many wait', async () => {
  await using hasher = open({ threads: 1 })
  const hash = await hasher.hash(ID, '000000')
  let guessed = 0
  const guesses = Array.from({ length: 30 }, () =>
    hasher.matches(ID, '123456', hash).then(() => {
      guessed += 1
    }),
  )
  await hasher.hash(FOREIGN, '123456')
  assert.ok(guessed <= 4, `after ${guessed} guesses of another tenant`)
  const generating = hasher.hash(ID, '123456')
  const before = guessed
  await generating
  assert.ok(guessed - before <= 4, `after ${guessed - before} of its own`)
  await Promise.all(guesses)
})

test('a code that cannot be hashed fails its own call and no other', async () => {
  await using hasher = open({ cost: 99, threads: 1 })
  await assert.rejects(hasher.hash(ID, '123456'), /could not be hashed/)
  assert.equal(await hasher.matches(ID, '123456', 'nonsense' as CodeHash), false)
})

test('closing rejects waiting and later calls', async () => {
  const hasher = open({ cost: 10, threads: 1 })
  const waiting = Array.from({ length: 5 }, () => hasher.hash(ID, '123456'))
  const outcomes = Promise.allSettled(waiting)
  await hasher[Symbol.asyncDispose]()
  assert.ok((await outcomes).every(({ status }) => status === 'rejected'))
  await assert.rejects(hasher.hash(ID, '123456'), Unavailable)
})

test('the threads run at the lowest priority', { skip: process.platform !== 'linux' }, async () => {
  const niceness = (): number[] =>
    readdirSync('/proc/self/task').flatMap((tid) => {
      try {
        return [Number(readFileSync(`/proc/self/task/${tid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])]
      } catch {
        return []
      }
    })
  await using hasher = open({ threads: 2 })
  await Promise.all([hasher.hash(ID, '123456'), hasher.hash(ID, '123456')])
  assert.equal(niceness().filter((nice) => nice === 19).length, 2)
})

test('a drawn code has six digits, and every digit occurs at every position', () => {
  const drawn = Array.from({ length: 2_000 }, () => drawCode())
  for (const code of drawn) assert.match(code, /^\d{6}$/)
  for (const at of [0, 1, 2, 3, 4, 5]) assert.equal(new Set(drawn.map((code) => code[at])).size, 10)
})

test('a code has the asked shape, and every character of its alphabet occurs at every position', () => {
  const drawn = Array.from({ length: 2_000 }, () => drawCode({ length: 4, alphabet: 'alphanumeric' }))
  for (const code of drawn) assert.match(code, /^[2-9BCDFGHJKMNPQRSTVWXYZ]{4}$/)
  for (const at of [0, 1, 2, 3]) assert.equal(new Set(drawn.map((code) => code[at])).size, 28)
})
