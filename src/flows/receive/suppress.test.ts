import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, seconds } from '../../lib/time.ts'
import { ACCEPTS, REJECTS, START, TENANT } from '../gateway.fixture.ts'
import { dispatch } from '../send/dispatch.ts'
import { ANA, CONTENT, EVA, openMailGateway, RUI, UNAVAILABLE } from './suppress.fixture.ts'
import { addressesOf, suppress, suppressedOf } from './suppress.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const DAYS_90 = seconds(90 * 24 * 60 * 60)
const BOUNCES = { ...REJECTS, code: 'USER_UNKNOWN', suppresses: 'hard_bounce' } as const

test('a hard bounce suppresses for 90 days and a complaint indefinitely, by lower-case address and with the message id', async () => {
  const { deps, suppressionOf, send, pass } = openMailGateway(world)
  const messageId = await send()
  const common = { tenantId: TENANT, messageId, createdAt: START }
  await suppress(deps, { tenantId: TENANT, messageId, address: ANA, reason: 'hard_bounce' })
  await suppress(deps, { tenantId: TENANT, messageId, address: RUI, reason: 'complaint' })
  const ana = { ...common, address: 'ana@example.com', reason: 'hard_bounce', expiresAt: later(START, DAYS_90) }
  assert.deepEqual(await suppressionOf(ANA), ana)
  assert.deepEqual(await suppressionOf(RUI), { ...common, address: RUI, reason: 'complaint' })
  pass(DAYS_90)
  assert.equal(await suppressionOf(ANA), undefined)
  assert.ok(await suppressionOf(RUI))
})

test('checks every recipient of an email, case-insensitively, and nobody else', async () => {
  const { deps } = openMailGateway(world)
  const to = { ...CONTENT, to: 'ANA@example.com' as EmailAddress }
  assert.deepEqual(addressesOf(CONTENT), [ANA, RUI, EVA])
  assert.deepEqual(await suppressedOf(deps, TENANT, to), [])
  for (const address of [EVA, ANA, 'zoe@example.com' as EmailAddress]) {
    const messageId = deps.ids.messageId(START)
    await suppress(deps, { tenantId: TENANT, messageId, address, reason: 'complaint' })
  }
  const found = (await suppressedOf(deps, TENANT, to)).map(({ address }) => address)
  assert.deepEqual(found.toSorted(), ['ana@example.com', EVA])
})

test('treats nobody as suppressed while the list is unavailable, and rethrows other errors', async () => {
  const { deps } = openMailGateway(world)
  assert.deepEqual(await suppressedOf({ ...deps, suppressions: UNAVAILABLE }, TENANT, CONTENT), [])
  const broken = { find: () => Promise.reject(new TypeError('a bug')) }
  await assert.rejects(suppressedOf({ ...deps, suppressions: broken }, TENANT, CONTENT), TypeError)
})

test('a permanent rejection during the call suppresses the address', async () => {
  const { work, send, suppressionOf, stateOf } = openMailGateway(world, [BOUNCES])
  const id = await send()
  await work()
  assert.equal((await stateOf(id)).handoffState, 'failed')
  const { reason, messageId } = (await suppressionOf(ANA)) ?? {}
  assert.deepEqual([reason, messageId], ['hard_bounce', id])
  assert.deepEqual([await suppressionOf(RUI), await suppressionOf(EVA)], [undefined, undefined])
})

test('a rejection that is not about the address suppresses nobody', async () => {
  const { work, send, suppressionOf } = openMailGateway(world, [REJECTS])
  await send()
  await work()
  assert.equal(await suppressionOf(ANA), undefined)
})

test('records a rejection even while the list is unavailable', async () => {
  const { deps, send, take, stateOf } = openMailGateway(world, [BOUNCES])
  const id = await send()
  const taken = await take()
  assert.ok(taken !== undefined)
  assert.equal((await dispatch({ ...deps, suppressions: UNAVAILABLE }, taken)).kind, 'gone')
  assert.equal((await stateOf(id)).handoffState, 'failed')
})

test('an email whose recipient was suppressed while it was queued fails before any provider call', async () => {
  const { deps, work, send, provider, stateOf } = openMailGateway(world, [ACCEPTS])
  const id = await send()
  await suppress(deps, { tenantId: TENANT, messageId: id, address: EVA, reason: 'complaint' })
  await work()
  const { handoffState, errorCode } = await stateOf(id)
  assert.deepEqual([handoffState, errorCode, provider.calls.length], ['failed', 'RECIPIENT_SUPPRESSED', 0])
})
