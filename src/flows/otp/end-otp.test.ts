import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId } from '../../domain/ids.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import type { CodeHash } from '../../domain/otp/challenge.ts'
import { drawCode } from '../../engines/crypto/draw-code.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { erase } from '../admin/erase.ts'
import { START, TENANT, TRACE } from '../gateway.fixture.ts'
import { endOtps } from './end-otp.ts'
import { anyNumber, type OtpWorld, openOtpGateway, otherThan, WANTED } from './otp.fixture.ts'
import { startOtp } from './start-otp.ts'

/** Reversible on purpose: hashing is tested elsewhere. */
const hasher: OtpWorld['hasher'] = {
  hash: async (_id, code) => `hash of ${code}` as CodeHash,
  reserve: anyNumber,
  matches: async (_id, code, hash) => hash === `hash of ${code}`,
}
const world = { openEngine: openMemoryEngine, ids: openIds(), hasher, drawCode }
const number = (nth: number): PhoneNumber => `+55119876${String(nth).padStart(5, '0')}` as PhoneNumber

const contentOf = async ({ log }: ReturnType<typeof openOtpGateway>, id: MessageId) => (await log.load(id))?.content

test('the message keeps its content while the challenge is open', async () => {
  const gateway = openOtpGateway(world)
  const { id, code, expiresAt } = await gateway.send()
  await gateway.check(id, otherThan(code))
  gateway.passTo(later(expiresAt, millis(-1)))
  assert.equal(await gateway.end(), 0)
  assert.ok((await contentOf(gateway, id)) !== undefined)
})

const ENDS: readonly [
  how: string,
  act: (gateway: ReturnType<typeof openOtpGateway>, id: MessageId, code: string) => Promise<unknown>,
][] = [
  ['already verified', (gateway, id, code) => gateway.check(id, code)],
  [
    'exhausted',
    async (gateway, id, code) => {
      for (const _ of [1, 2, 3]) await gateway.check(id, otherThan(code))
    },
  ],
  ['expired', async (gateway) => gateway.pass(seconds(300))],
]
for (const [how, act] of ENDS) {
  test(`erases the message of an ${how} challenge once`, async () => {
    const gateway = openOtpGateway(world)
    const { id, code } = await gateway.send()
    await gateway.work()
    await act(gateway, id, code)
    assert.equal(await gateway.end(), 1)
    assert.equal(await contentOf(gateway, id), undefined)
    assert.equal((await gateway.stateOf(id)).erased, true)
    assert.equal(await gateway.end(), 0)
    assert.equal((await gateway.kindsOf(id)).filter((kind) => kind === 'MessageErased').length, 1)
  })
}

test('the recipient of an ended code stays searchable, even after a rebuild, until the message is erased', async () => {
  const gateway = openOtpGateway(world)
  const { index, log, deps } = gateway
  const { id } = await gateway.send()
  const toKey = deps.blind(TENANT, WANTED.to)
  const find = async () => (await index.search({ tenantId: TENANT, filter: { toKey }, limit: 9 })).rows
  await gateway.project()
  gateway.pass(seconds(300))
  assert.equal(await gateway.end(), 1)
  for (const rebuilt of [false, true]) {
    if (rebuilt) await index.clear()
    await gateway.project()
    const [row, ...others] = await find()
    assert.deepEqual([row?.state.id, row?.searchable?.to, others.length], [id, '+*******4321', 0])
  }
  const loaded = await log.load(id)
  assert.deepEqual([loaded?.content, loaded?.searchable?.to], [undefined, '+*******4321'])

  await erase(deps, { tenantId: TENANT, id, traceId: TRACE })
  for (const rebuilt of [false, true]) {
    if (rebuilt) await index.clear()
    await gateway.project()
    assert.deepEqual(await find(), [])
  }
  assert.equal((await log.load(id))?.searchable, undefined)
  assert.deepEqual((await gateway.kindsOf(id)).slice(-2), ['MessageErased', 'MessageErased'])
})

test('a code verified before its message was sent is not sent', async () => {
  const gateway = openOtpGateway(world)
  const { id, code } = await gateway.send()
  await gateway.check(id, code)
  await gateway.end()
  await gateway.work()
  const { errorCode, attempt } = await gateway.stateOf(id)
  assert.deepEqual([errorCode, attempt], ['ERASED', 0])
})

test('clears a challenge whose message was never stored', async () => {
  const gateway = openOtpGateway(world)
  const log = { ...gateway.log, append: () => Promise.reject(new Unavailable('no disk')) }
  await assert.rejects(startOtp({ ...gateway.deps, log }, WANTED), Unavailable)
  gateway.pass(seconds(300))
  assert.equal(await gateway.end(), 1)
  assert.equal(await gateway.end(), 0)
})

test('clears a challenge without a code, with its message', async () => {
  const gateway = openOtpGateway(world)
  const { challenges } = gateway.deps
  const begin: typeof challenges.begin = ({ hash: _, ...bare }) => challenges.begin(bare)
  await startOtp({ ...gateway.deps, challenges: { ...challenges, begin } }, WANTED)
  gateway.pass(seconds(300))
  assert.equal(await gateway.end(), 1)
  await assert.rejects(gateway.send(), /no code/)
})

test('ends all expired challenges, also with concurrent runs', async () => {
  const gateway = openOtpGateway(world)
  const ids: MessageId[] = []
  for (let nth = 0; nth < 250; nth += 1) {
    ids.push((await gateway.start({ to: number(nth), idempotencyKey: `k${nth}` })).id)
  }
  gateway.pass(seconds(300))
  await Promise.all([gateway.end(), gateway.end(), gateway.end()])
  for (const id of ids) assert.equal((await gateway.stateOf(id)).erased, true)
  assert.equal(await gateway.end(), 0)
})

test('a failed erasure does not block the others and is retried', async () => {
  const gateway = openOtpGateway(world)
  const stuck = await gateway.start({ to: number(1), idempotencyKey: 'k1' })
  const other = await gateway.start({ to: number(2), idempotencyKey: 'k2' })
  gateway.passTo(later(START, seconds(300)))
  const { deps } = gateway
  const log = {
    ...deps.log,
    shred: (id: MessageId) => (id === stuck.id ? Promise.reject(new Unavailable('no disk')) : deps.log.shred(id)),
  }
  await assert.rejects(endOtps({ ...deps, log }), Unavailable)
  assert.equal(await contentOf(gateway, other.id), undefined)
  assert.deepEqual(await deps.challenges.ended(gateway.clock(), 10), [{ id: stuck.id, tenantId: TENANT }])
  assert.equal(await gateway.end(), 1)
  assert.equal(await contentOf(gateway, stuck.id), undefined)
})
