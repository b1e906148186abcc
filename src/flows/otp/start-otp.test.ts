import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { AccountId, MessageId, TenantId } from '../../domain/ids.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import type { CodeHash } from '../../domain/otp/challenge.ts'
import { openCodeHasher } from '../../engines/crypto/code-hasher.ts'
import { drawCode } from '../../engines/crypto/draw-code.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import type { Challenges } from '../../ports/challenges.ts'
import type { CodeHasher } from '../../ports/code-hasher.ts'
import type { EventLog } from '../../ports/event-log.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { RateLimited } from '../errors.ts'
import { START, TENANT } from '../gateway.fixture.ts'
import { anyNumber, openOtpGateway, otherThan, toOtpTemplate, WANTED } from './otp.fixture.ts'
import { startOtp } from './start-otp.ts'

const hasher = openCodeHasher({ masterKey: randomBytes(32), cost: 4, threads: 1 })
after(() => hasher[Symbol.asyncDispose]())
const world = { openEngine: openMemoryEngine, ids: openIds(), hasher, drawCode }
const END = later(START, seconds(300))
const unavailable = (): Promise<never> => Promise.reject(new Unavailable('database unavailable'))

test('sends the code in the otp lane with a message that expires with its challenge', async () => {
  const gateway = openOtpGateway(world)
  const { id, expiresAt, replayed } = await gateway.start({ appName: 'Acme', locale: 'en' })
  assert.deepEqual([expiresAt, replayed], [END, false])
  const { content, event } = (await gateway.log.load(id)) ?? {}
  const [code] = gateway.drawn
  const { hash } = (await gateway.deps.challenges.find({ tenantId: TENANT, id })) ?? {}
  assert.deepEqual(content, {
    channel: 'sms',
    kind: 'sms',
    to: WANTED.to,
    body: `${code} is your Acme code. Do not share it. It expires in 5 min.`,
    otp: { code, ttl: 300_000, maxAttempts: 3, appName: 'Acme', locale: 'en', hash },
    metadata: {},
    tags: [],
    expiresAt: END,
  })
  assert.deepEqual([event?.state.lane, event?.state.expiresAt, event?.state.segments], ['otp', END, 1])
})

test('S1-P4 the stored hash never contains the code', async () => {
  const gateway = openOtpGateway(world, { otp: { limit: 1_000, window: seconds(1) } })
  const property = fc.asyncProperty(fc.uuid(), fc.integer({ min: 1, max: 10 }), async (idempotencyKey, maxAttempts) => {
    const { id, code } = await gateway.send({ idempotencyKey, maxAttempts })
    const challenge = await gateway.deps.challenges.find({ tenantId: TENANT, id })
    assert.equal(challenge?.maxAttempts, maxAttempts)
    assert.ok(challenge?.hash !== undefined && !challenge.hash.includes(code))
  })
  await fc.assert(property, { numRuns: 100 })
})

test('a repeated call returns the first answer and sends nothing', async () => {
  const gateway = openOtpGateway(world)
  const first = await gateway.start()
  gateway.pass(seconds(100))
  const again = await gateway.start()
  assert.deepEqual({ ...again, limits: [] }, { ...first, replayed: true, limits: [] })
  assert.deepEqual(await gateway.kindsOf(first.id), ['MessageCreated'])
  assert.equal((await gateway.check(first.id, gateway.drawn[0] ?? '')).status, 'verified')
})

test('concurrent repeated calls send one code, and that code verifies', async () => {
  const gateway = openOtpGateway(world)
  const answers = await Promise.all(Array.from({ length: 50 }, () => gateway.start()))
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 1)
  assert.equal(new Set(answers.map(({ id, expiresAt }) => `${id} ${expiresAt}`)).size, 1)
  const { id, code } = await gateway.send()
  assert.equal((await gateway.check(id, code)).status, 'verified')
})

test('the same key with other terms is a mismatch and changes nothing', async () => {
  const gateway = openOtpGateway(world)
  const { id } = await gateway.start()
  for (const other of [{ maxAttempts: 9 }, { ttl: seconds(60) }, { to: '+5511987654322' as PhoneNumber }]) {
    await assert.rejects(gateway.start(other), { code: 'IDEMPOTENCY_MISMATCH' })
  }
  const challenge = await gateway.deps.challenges.find({ tenantId: TENANT, id })
  assert.deepEqual([challenge?.maxAttempts, challenge?.expiresAt], [3, END])
})

test('the same idempotency key for a code and for an SMS does not collide', async () => {
  const gateway = openOtpGateway(world)
  const sms = await gateway.submit({ idempotencyKey: WANTED.idempotencyKey, accountId: WANTED.accountId })
  const { id, replayed } = await gateway.start()
  assert.notEqual(id, sms)
  assert.equal(replayed, false)
})

test('sends nothing when the challenge cannot be stored', async () => {
  const gateway = openOtpGateway(world)
  const challenges: Challenges = { ...gateway.deps.challenges, begin: unavailable }
  await assert.rejects(startOtp({ ...gateway.deps, challenges }, WANTED), Unavailable)
  assert.equal(await gateway.log.tip(), 0)
  assert.equal((await gateway.start()).replayed, false)
})

test('a code can be checked as soon as its message is stored', async () => {
  const gateway = openOtpGateway(world)
  const { log } = gateway.deps
  const statuses: string[] = []
  const append: EventLog['append'] = async (entry) => {
    const result = await log.append(entry)
    statuses.push((await gateway.check(entry.event.state.id, gateway.drawn[0] ?? '')).status)
    return result
  }
  await startOtp({ ...gateway.deps, log: { ...log, append } }, WANTED)
  assert.deepEqual(statuses, ['verified'])
})

test('sends nothing and counts nothing when the code cannot be hashed', async () => {
  const gateway = openOtpGateway(world, { otp: { limit: 1, window: seconds(600) } })
  const busy = { ...gateway.deps, hasher: { ...hasher, hash: unavailable } }
  await assert.rejects(startOtp(busy, WANTED), Unavailable)
  assert.equal(await gateway.log.tip(), 0)
  assert.equal((await gateway.start()).replayed, false)
})

test('a repeated call and one that exceeds the limit hash nothing', async () => {
  const hashed: string[] = []
  const hash: CodeHasher['hash'] = (ref, code) => {
    hashed.push(code)
    return hasher.hash(ref, code)
  }
  const gateway = openOtpGateway(world, { otp: { limit: 2, window: seconds(600) }, hasher: { ...hasher, hash } })
  await Promise.all([gateway.start(), gateway.start()])
  await gateway.start()
  await gateway.start({ idempotencyKey: 'k2' })
  assert.equal(hashed.length, 2)
  await gateway.start()
  await assert.rejects(gateway.start({ idempotencyKey: 'k3' }), { code: 'RATE_LIMITED' })
  assert.equal(hashed.length, 2)
})

test('when a call fails before its message is stored, the next one with its key sends a code that verifies', async () => {
  const gateway = openOtpGateway(world)
  const lost = { ...gateway.deps, log: { ...gateway.deps.log, append: unavailable } }
  await assert.rejects(startOtp(lost, WANTED), Unavailable)
  const { id, code } = await gateway.send()
  assert.equal((await gateway.check(id, code)).status, 'verified')
})

test('the same when somebody has tried a code on the challenge that was left behind', async () => {
  const gateway = openOtpGateway(world)
  const ids: MessageId[] = []
  const append: EventLog['append'] = ({ event }) => {
    ids.push(event.state.id)
    return unavailable()
  }
  const lost = { ...gateway.deps, log: { ...gateway.deps.log, append } }
  await assert.rejects(startOtp(lost, WANTED), Unavailable)
  assert.deepEqual(await gateway.check(ids[0] ?? ('' as MessageId), '000000'), { status: 'invalid', remaining: 2 })
  const { id, code } = await gateway.send()
  assert.equal(id, ids[0])
  assert.deepEqual(await gateway.check(id, otherThan(code)), { status: 'invalid', remaining: 2 })
  assert.equal((await gateway.check(id, code)).status, 'verified')
})

test('a challenge that a lost concurrent call has armed gets the code that was sent, once, and keeps its attempts', async () => {
  const gateway = openOtpGateway(world)
  const { id, code, expiresAt } = await gateway.send()
  const { challenges } = gateway.deps
  const hash = await hasher.hash({ tenantId: TENANT, id }, '000000')
  assert.equal(await challenges.begin({ ...WANTED, id, createdAt: START, expiresAt, hash }), true)
  assert.equal((await gateway.start()).replayed, true)
  assert.equal((await gateway.check(id, otherThan(code))).status, 'invalid')
  await gateway.start()
  assert.equal((await challenges.find({ tenantId: TENANT, id }))?.attempts, 1)
  assert.equal((await gateway.check(id, code)).status, 'verified')
})

test('in whatever order concurrent calls with one key get on, the code that was sent verifies once they have ended', async () => {
  const property = fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 4 }), async (scheduler, callers) => {
    const gateway = openOtpGateway(world, { otp: { limit: 9, window: seconds(600) } })
    const { challenges, log } = gateway.deps
    const load = async (...args: Parameters<EventLog['load']>) => log.load(...args)
    const deps = {
      ...gateway.deps,
      hasher: quickHasher,
      inTurn: <Value>(_key: string, act: () => Promise<Value>) => act(),
      challenges: {
        ...challenges,
        begin: scheduler.scheduleFunction(challenges.begin),
        arm: scheduler.scheduleFunction(challenges.arm),
        find: scheduler.scheduleFunction(challenges.find),
      },
      log: { ...log, append: scheduler.scheduleFunction(log.append), load: scheduler.scheduleFunction(load) },
    }
    const calls = Promise.all(Array.from({ length: callers }, () => startOtp(deps, WANTED)))
    await scheduler.waitFor(calls)
    const [first] = await calls
    assert.equal((await calls).filter(({ replayed }) => !replayed).length, 1)
    const content = (await log.load(first?.id ?? ('' as MessageId)))?.content
    const challenge = await challenges.find({ tenantId: TENANT, id: first?.id ?? ('' as MessageId) })
    assert.ok(challenge !== undefined && challenge.hash === content?.otp?.hash)
    assert.ok(challenge.hash?.startsWith(`${content?.otp?.code} `))
    assert.deepEqual([challenge.attempts, challenge.expiresAt], [0, END])
  })
  await fc.assert(property, { numRuns: 200 })
})

let hashes = 0
/** A hash that is different each time, like a real one, and reversible. */
const quickHasher: CodeHasher = {
  async hash(_ref, code) {
    hashes += 1
    return `${code} ${hashes}` as CodeHash
  },
  reserve: anyNumber,
  matches: async (_ref, code, hash) => hash.startsWith(`${code} `),
}

test('a repeated call arms a challenge without a hash with the code that was sent', async () => {
  const gateway = openOtpGateway(world)
  const begin: Challenges['begin'] = ({ hash: _, ...bare }) => gateway.deps.challenges.begin(bare)
  await startOtp({ ...gateway.deps, challenges: { ...gateway.deps.challenges, begin } }, WANTED)
  const [sent = ''] = gateway.drawn
  gateway.pass(seconds(120))
  const { id, replayed, expiresAt } = await gateway.start()
  assert.deepEqual([replayed, expiresAt], [true, END])
  assert.equal((await gateway.check(id, sent)).status, 'verified')
})

test('a call that failed before its message was stored leaves no terms behind', async () => {
  const gateway = openOtpGateway(world)
  const { log } = gateway.deps
  const lost = { ...gateway.deps, log: { ...log, append: unavailable } }
  await assert.rejects(startOtp(lost, { ...WANTED, maxAttempts: 1, ttl: seconds(30) }), Unavailable)
  gateway.pass(seconds(3600))
  await gateway.end()
  const { id, code, expiresAt } = await gateway.send({ maxAttempts: 2, ttl: seconds(60) })
  assert.equal(expiresAt, later(gateway.clock(), seconds(60)))
  const challenge = await gateway.deps.challenges.find({ tenantId: TENANT, id })
  assert.deepEqual([challenge?.maxAttempts, challenge?.expiresAt], [2, expiresAt])
  assert.equal((await gateway.check(id, code)).status, 'verified')
})

test('a repeated call after the code was erased returns its expiry', async () => {
  const gateway = openOtpGateway(world)
  await gateway.start()
  gateway.pass(seconds(301))
  await gateway.end()
  const { id, replayed, expiresAt } = await gateway.start()
  assert.deepEqual([replayed, expiresAt], [true, END])
  assert.equal((await gateway.check(id, '000000')).status, 'expired')
})

test('S1-P9 a number gets at most the limit of codes per window, then a refusal with the exact Retry-After', async () => {
  const scene = fc.record({
    limit: fc.integer({ min: 1, max: 6 }),
    window: fc.integer({ min: 1, max: 3600 }).map(seconds),
    gaps: fc.array(fc.integer({ min: 0, max: 900_000 }), { minLength: 1, maxLength: 12 }),
  })
  const property = fc.asyncProperty(scene, async ({ limit, window, gaps }) => {
    const gateway = openOtpGateway(world, {
      otp: { limit, window },
      hasher: { hash: quick, reserve: anyNumber, matches: async () => false },
    })
    let opened = { at: START, count: limit }
    let isFirst = true
    for (const [index, gap] of gaps.entries()) {
      gateway.pass(millis(gap))
      const at = gateway.clock()
      if (isFirst || later(opened.at, window) <= at) opened = { at, count: 0 }
      isFirst = false
      const started = gateway.start({ idempotencyKey: `k${index}` })
      if (opened.count < limit) {
        opened.count += 1
        await started
      } else {
        const refusal: unknown = await started.catch((error: unknown) => error)
        assert.ok(refusal instanceof RateLimited)
        assert.equal(refusal.retryAfter, later(opened.at, window) - at)
      }
    }
  })
  await fc.assert(property, { numRuns: 100 })
})

const quick = async (): Promise<never> => 'a hash' as never

test('repeated calls and other numbers or tenants do not count against the limit of a number', async () => {
  const gateway = openOtpGateway(world, { otp: { limit: 1, window: seconds(600) } })
  const first = await gateway.start()
  assert.deepEqual((await gateway.start()).id, first.id)
  await gateway.start({ idempotencyKey: 'k2', to: '+5511987654322' as PhoneNumber })
  await gateway.start({ idempotencyKey: 'k2', tenantId: 'south' as TenantId })
  // Another account of the same tenant shares the limit.
  await assert.rejects(gateway.start({ accountId: 'other' as AccountId }), { code: 'RATE_LIMITED' })
  assert.equal((await gateway.start()).replayed, true)
})

test('with a domain the text ends with a line that binds the code to it', async () => {
  const gateway = openOtpGateway(world, { otp: { limit: 5, window: seconds(600), domain: 'acme.example' } })
  await gateway.deps.templates.add(toOtpTemplate('sms', { text: 'Code {{ code }}\n' }))
  const { id, code } = await gateway.send()
  assert.equal(await gateway.bodyOf(id), `Code ${code}\n\n@acme.example #${code}`)
})

test('falls back to the built-in text when a template renders an invalid text', async () => {
  for (const text of ['x'.repeat(1_601), 'a\0b']) {
    const gateway = openOtpGateway(world)
    await gateway.deps.templates.add(toOtpTemplate('sms', { text: `{{ code }}${text}` }))
    const { id, code } = await gateway.send()
    assert.match(await gateway.bodyOf(id), new RegExp(`^${code} is your code`))
  }
})

test('states the lifetime in whole minutes, rounded down, at least one', async () => {
  const gateway = openOtpGateway(world)
  await gateway.deps.templates.add(toOtpTemplate('sms', { text: '{{ minutes }} {{ code }}' }))
  const minutes: (string | undefined)[] = []
  for (const [index, ttl] of [30, 90, 300, 3600].entries()) {
    const { id } = await gateway.start({ ttl: seconds(ttl), idempotencyKey: `k${index}` })
    minutes.push((await gateway.bodyOf(id)).split(' ')[0])
  }
  assert.deepEqual(minutes, ['1', '1', '5', '60'])
})
