import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { type Instant, later, millis, seconds } from '../../lib/time.ts'
import type { LookupResult, Provider, Receipt } from '../../ports/provider.ts'
import { erase } from '../admin/erase.ts'
import { ACCEPTS, fakeProvider, openGateway, receiptOf, START, TENANT, TRACE } from '../gateway.fixture.ts'
import { resend } from '../send/resend.ts'
import { applyReceipt } from './apply-receipt.ts'
import { poll } from './poll.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const DAYS = 24 * 60 * 60
type Known = Receipt['state'] | 'absent' | 'undetermined'

test('of a provider that does not tell of deliveries nothing is awaited, and no message of its times out', async () => {
  const gateway = openGateway(world, { providers: [fakeProvider([{ ...ACCEPTS, noDeliveryReports: true }])] })
  const id = await gateway.submit()
  await gateway.work()
  const lastLook = gateway.clock()
  gateway.pass(seconds(5 * DAYS))
  await gateway.project()
  assert.equal(await poll(gateway.deps, lastLook), 0)
  assert.equal(toStatus(await gateway.stateOf(id)), 'sent')
})

/** A message that was handed off to a provider which can be asked, and the times it was asked. */
async function handedOff(known: () => Known = () => 'undetermined') {
  const asked: Instant[] = []
  const lookup: NonNullable<Provider['lookup']> = async (ref): Promise<LookupResult> => {
    asked.push(gateway.clock())
    const state = known()
    if (state === 'absent' || state === 'undetermined') return { kind: state }
    return { kind: 'found', receipt: { ref, providerMessageId: 'SM1', state, reportId: `looked up ${state}` } }
  }
  const provider = fakeProvider([ACCEPTS, ACCEPTS], { lookup })
  const gateway = openGateway(world, { providers: [provider] })
  const id = await gateway.submit()
  await gateway.work()
  let lastLook = gateway.clock()
  return {
    ...gateway,
    id,
    /** How many seconds after the hand-off the provider was asked. */
    askedAfter: () => asked.map((at) => (at - START) / 1000),
    /** Looks again and again, as the ticker does, with the index up to date. */
    look: async (forSeconds: number, everySeconds = 5) => {
      for (let passed = 0; passed < forSeconds; passed += everySeconds) {
        gateway.pass(seconds(everySeconds))
        await gateway.project()
        await poll(gateway.deps, lastLook)
        lastLook = gateway.clock()
      }
    },
  }
}

test('a silent provider is asked after 30 s, then 2 min, 10 min, 30 min and 2 h, and every 2 h from then', async () => {
  const { look, askedAfter } = await handedOff()
  await look(30_000, 10)
  assert.deepEqual(askedAfter(), [30, 150, 750, 2550, 9750, 16_950, 24_150])
})

test('it is asked on time whenever the looks fall', async () => {
  const { look, askedAfter } = await handedOff()
  await look(200, 7)
  assert.deepEqual(askedAfter(), [35, 154])
})

test('what the provider has to say is recorded, and then it is not asked again', async () => {
  const { look, askedAfter, kindsOf, stateOf, id } = await handedOff(() => 'delivered')
  await look(1_000)
  assert.deepEqual(askedAfter(), [30])
  const kinds = ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted', 'ProviderDelivered']
  assert.deepEqual(await kindsOf(id), kinds)
  assert.equal(toStatus(await stateOf(id)), 'delivered')
})

test('a provider that only repeats itself adds nothing to the timeline', async () => {
  const { look, askedAfter, kindsOf, id } = await handedOff(() => 'accepted')
  await look(3_000)
  assert.deepEqual(askedAfter(), [30, 150, 750, 2550])
  assert.equal((await kindsOf(id)).filter((kind) => kind === 'ProviderAccepted').length, 1)
})

test('a message that was reported on is not asked about', async () => {
  const { look, askedAfter, deps, stateOf, id } = await handedOff()
  await applyReceipt(deps, receiptOf(await stateOf(id), 'bounced'))
  await look(200)
  assert.deepEqual(askedAfter(), [])
})

test('after three days of silence we say so, whether the provider can be asked or not, and a receipt still counts', async () => {
  for (const known of ['undetermined', 'absent', 'accepted'] as const) {
    const { look, stateOf, eventsOf, id, deps } = await handedOff(() => known)
    await look(3 * DAYS - 3600, 3600)
    assert.equal(toStatus(await stateOf(id)), 'sent')
    await look(2 * 3600, 3600)
    assert.deepEqual((await eventsOf(id)).at(-1)?.fact, { kind: 'ProviderTimedOut', reportId: 'silence' })
    assert.equal(toStatus(await stateOf(id)), 'expired')
    await look(6 * 3600, 3600)
    assert.equal((await eventsOf(id)).filter(({ fact }) => fact.kind === 'ProviderTimedOut').length, 1)
    await applyReceipt(deps, receiptOf(await stateOf(id), 'delivered'))
    assert.equal(toStatus(await stateOf(id)), 'delivered')
  }
})

test('an erased message is not asked about any more, and times out all the same', async () => {
  const { look, deps, id, askedAfter, stateOf } = await handedOff(() => 'delivered')
  await erase(deps, { tenantId: TENANT, id, traceId: TRACE })
  await look(3 * DAYS - 3600, 3600)
  assert.equal(toStatus(await stateOf(id)), 'sent')
  await look(2 * 3600, 3600)
  assert.deepEqual(askedAfter(), [])
  assert.equal(toStatus(await stateOf(id)), 'expired')
})

test('a provider that cannot be asked is waited for all the same', async () => {
  const gateway = openGateway(world)
  const id = await gateway.submit()
  await gateway.work()
  await gateway.project()
  gateway.pass(seconds(3 * DAYS + 7200))
  assert.equal(await poll(gateway.deps, START), 1)
  assert.equal(toStatus(await gateway.stateOf(id)), 'expired')
})

test('silence is not held against a cycle that has begun since the index was told, nor against a message delivered', async () => {
  for (const meanwhile of ['resend', 'delivered'] as const) {
    const { project, pass, deps, id, stateOf, eventsOf } = await handedOff()
    await project()
    pass(seconds(3 * DAYS + 7200))
    if (meanwhile === 'resend') await resend(deps, { tenantId: TENANT, id, by: 'resend', traceId: TRACE })
    else await applyReceipt(deps, receiptOf(await stateOf(id), 'delivered'))
    const before = await eventsOf(id)
    await poll(deps, START)
    assert.deepEqual(await eventsOf(id), before)
  }
})

test('a message handed off less than 30 s ago is left alone', async () => {
  const { project, pass, deps, askedAfter } = await handedOff()
  await project()
  pass(millis(29_999))
  assert.equal(await poll(deps, START), 0)
  assert.deepEqual(askedAfter(), [])
  pass(millis(1))
  assert.equal(await poll(deps, later(START, millis(29_999))), 1)
})

test('the provider is asked by the name that it gave the message', async () => {
  const known: unknown[] = []
  const lookup: NonNullable<Provider['lookup']> = async (_ref, _id, given) => {
    known.push(given)
    return { kind: 'undetermined' }
  }
  const gateway = openGateway(world, { providers: [fakeProvider([ACCEPTS], { lookup })] })
  const id = await gateway.submit()
  await gateway.work()
  await gateway.project()
  gateway.pass(seconds(30))
  await poll(gateway.deps, START)
  const { providerMessageId } = await gateway.stateOf(id)
  assert.deepEqual(known, [{ providerMessageId: 'SM1' }])
  assert.deepEqual(known, [{ providerMessageId }])
})
