import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, seconds } from '../../lib/time.ts'
import { ACCEPTS, REJECTS, START, TENANT } from '../gateway.fixture.ts'
import { dispatch } from '../send/dispatch.ts'
import { ANA, AWAY, CONTENT, EVA, openMailGateway, RUI } from './suppress.fixture.ts'
import { addressesOf, suppress, suppressedOf } from './suppress.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const DAYS_90 = seconds(90 * 24 * 60 * 60)
const BOUNCES = { ...REJECTS, code: 'USER_UNKNOWN', suppresses: 'hard_bounce' } as const

test('a hard bounce is kept for ninety days and a complaint for good, in small letters, with the message', async () => {
  const { deps, known, send, pass } = openMailGateway(world)
  const messageId = await send()
  const common = { tenantId: TENANT, messageId, createdAt: START }
  await suppress(deps, { tenantId: TENANT, messageId, address: ANA, reason: 'hard_bounce' })
  await suppress(deps, { tenantId: TENANT, messageId, address: RUI, reason: 'complaint' })
  const ana = { ...common, address: 'ana@example.com', reason: 'hard_bounce', expiresAt: later(START, DAYS_90) }
  assert.deepEqual(await known(ANA), ana)
  assert.deepEqual(await known(RUI), { ...common, address: RUI, reason: 'complaint' })
  pass(DAYS_90)
  assert.equal(await known(ANA), undefined)
  assert.ok(await known(RUI))
})

test('everybody whom a mail would go to is looked for, whatever the case, and nobody else', async () => {
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

test('nobody counts as suppressed while the list is away, and a bug is no outage', async () => {
  const { deps } = openMailGateway(world)
  assert.deepEqual(await suppressedOf({ ...deps, suppressions: AWAY }, TENANT, CONTENT), [])
  const broken = { find: () => Promise.reject(new TypeError('a bug')) }
  await assert.rejects(suppressedOf({ ...deps, suppressions: broken }, TENANT, CONTENT), TypeError)
})

test('whom a provider refuses for good while it is called gets no more mail', async () => {
  const { work, send, known, stateOf } = openMailGateway(world, [BOUNCES])
  const id = await send()
  await work()
  assert.equal((await stateOf(id)).handoffState, 'failed')
  const { reason, messageId } = (await known(ANA)) ?? {}
  assert.deepEqual([reason, messageId], ['hard_bounce', id])
  assert.deepEqual([await known(RUI), await known(EVA)], [undefined, undefined])
})

test('a refusal that says nothing of the address leaves it alone', async () => {
  const { work, send, known } = openMailGateway(world, [REJECTS])
  await send()
  await work()
  assert.equal(await known(ANA), undefined)
})

test('a refusal is recorded also while the list is away', async () => {
  const { deps, send, take, stateOf } = openMailGateway(world, [BOUNCES])
  const id = await send()
  const taken = await take()
  assert.ok(taken !== undefined)
  assert.equal((await dispatch({ ...deps, suppressions: AWAY }, taken)).kind, 'gone')
  assert.equal((await stateOf(id)).handoffState, 'failed')
})

test('mail that waits for somebody who was suppressed meanwhile fails before any provider is called', async () => {
  const { deps, work, send, provider, stateOf } = openMailGateway(world, [ACCEPTS])
  const id = await send()
  await suppress(deps, { tenantId: TENANT, messageId: id, address: EVA, reason: 'complaint' })
  await work()
  const { handoffState, errorCode } = await stateOf(id)
  assert.deepEqual([handoffState, errorCode, provider.calls.length], ['failed', 'RECIPIENT_SUPPRESSED', 0])
})
