import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { type Instant, later, millis, seconds } from '../../lib/time.ts'
import type { MessageIndex, OverdueQuery } from '../../ports/message-index.ts'
import type { LookupResult, Provider, Receipt } from '../../ports/provider.ts'
import { erase } from '../admin/erase.ts'
import { ACCEPTS, fakeProvider, openGateway, receiptOf, START, TENANT, TRACE } from '../gateway.fixture.ts'
import { resend } from '../send/resend.ts'
import { applyReceipt } from './apply-receipt.ts'
import { poll } from './poll.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const DAYS = 24 * 60 * 60
type LookupState = Receipt['state'] | 'absent' | 'undetermined'

test('does not poll or time out messages of a provider without delivery reports', async () => {
  const gateway = openGateway(world, { providers: [fakeProvider([{ ...ACCEPTS, noDeliveryReports: true }])] })
  const id = await gateway.submit()
  await gateway.work()
  const lastLook = gateway.clock()
  gateway.pass(seconds(5 * DAYS))
  await gateway.project()
  assert.equal(await poll(gateway.deps, lastLook), 0)
  assert.equal(toStatus(await gateway.stateOf(id)), 'sent')
})

/** A message handed off to a provider with lookup, and the times of its lookups. */
async function handedOff(stateAtProvider: () => LookupState = () => 'undetermined') {
  const asked: Instant[] = []
  const lookup: NonNullable<Provider['lookup']> = async (ref): Promise<LookupResult> => {
    asked.push(gateway.clock())
    const state = stateAtProvider()
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
    /** Seconds between the hand-off and each lookup. */
    askedAfter: () => asked.map((at) => (at - START) / 1000),
    /** Polls repeatedly, as the ticker does, with an up-to-date index. */
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

test('polls a silent provider after 30 s, 2 min, 10 min, 30 min and 2 h, then every 2 h', async () => {
  const { look, askedAfter } = await handedOff()
  await look(30_000, 10)
  assert.deepEqual(askedAfter(), [30, 150, 750, 2550, 9750, 16_950, 24_150])
})

test('polls on time at any polling interval', async () => {
  const { look, askedAfter } = await handedOff()
  await look(200, 7)
  assert.deepEqual(askedAfter(), [35, 154])
})

test('asks the index once when nothing is silent, and only about ages that have silent messages', async () => {
  const { deps, clock, pass, project } = await handedOff()
  const asked: OverdueQuery[] = []
  const overdue: MessageIndex['overdue'] = (query) => {
    asked.push(query)
    return deps.index.overdue(query)
  }
  const lastLook = clock()
  await poll({ ...deps, index: { ...deps.index, overdue } }, lastLook, later(lastLook, seconds(5)))
  assert.equal(asked.length, 1)

  pass(seconds(30))
  await project()
  asked.length = 0
  assert.equal(await poll({ ...deps, index: { ...deps.index, overdue } }, later(clock(), seconds(-5))), 1)
  assert.equal(asked.length, 2)
})

test("records the provider's report and stops polling", async () => {
  const { look, askedAfter, kindsOf, stateOf, id } = await handedOff(() => 'delivered')
  await look(1_000)
  assert.deepEqual(askedAfter(), [30])
  const kinds = ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted', 'ProviderDelivered']
  assert.deepEqual(await kindsOf(id), kinds)
  assert.equal(toStatus(await stateOf(id)), 'delivered')
})

test('repeated reports of the same state are recorded once', async () => {
  const { look, askedAfter, kindsOf, id } = await handedOff(() => 'accepted')
  await look(3_000)
  assert.deepEqual(askedAfter(), [30, 150, 750, 2550])
  assert.equal((await kindsOf(id)).filter((kind) => kind === 'ProviderAccepted').length, 1)
})

test('does not poll a message that has a final report', async () => {
  const { look, askedAfter, deps, stateOf, id } = await handedOff()
  await applyReceipt(deps, receiptOf(await stateOf(id), 'bounced'))
  await look(200)
  assert.deepEqual(askedAfter(), [])
})

test('times out after three days of silence, with or without lookups, and a later receipt still counts', async () => {
  for (const stateAtProvider of ['undetermined', 'absent', 'accepted'] as const) {
    const { look, stateOf, eventsOf, id, deps } = await handedOff(() => stateAtProvider)
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

test('does not poll an erased message, but times it out', async () => {
  const { look, deps, id, askedAfter, stateOf } = await handedOff(() => 'delivered')
  await erase(deps, { tenantId: TENANT, id, traceId: TRACE })
  await look(3 * DAYS - 3600, 3600)
  assert.equal(toStatus(await stateOf(id)), 'sent')
  await look(2 * 3600, 3600)
  assert.deepEqual(askedAfter(), [])
  assert.equal(toStatus(await stateOf(id)), 'expired')
})

test('times out messages of a provider without lookup', async () => {
  const gateway = openGateway(world)
  const id = await gateway.submit()
  await gateway.work()
  await gateway.project()
  gateway.pass(seconds(3 * DAYS + 7200))
  assert.equal(await poll(gateway.deps, START), 1)
  assert.equal(toStatus(await gateway.stateOf(id)), 'expired')
})

test('does not time out a message that was resent or delivered since it was indexed', async () => {
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

test('does not poll a message handed off less than 30 s ago', async () => {
  const { project, pass, deps, askedAfter } = await handedOff()
  await project()
  pass(millis(29_999))
  assert.equal(await poll(deps, START), 0)
  assert.deepEqual(askedAfter(), [])
  pass(millis(1))
  assert.equal(await poll(deps, later(START, millis(29_999))), 1)
})

test("looks up by the provider's message id", async () => {
  const stateAtProvider: unknown[] = []
  const lookup: NonNullable<Provider['lookup']> = async (_ref, _id, given) => {
    stateAtProvider.push(given)
    return { kind: 'undetermined' }
  }
  const gateway = openGateway(world, { providers: [fakeProvider([ACCEPTS], { lookup })] })
  const id = await gateway.submit()
  await gateway.work()
  await gateway.project()
  gateway.pass(seconds(30))
  await poll(gateway.deps, START)
  const { providerMessageId } = await gateway.stateOf(id)
  assert.deepEqual(stateAtProvider, [{ providerMessageId: 'SM1' }])
  assert.deepEqual(stateAtProvider, [{ providerMessageId }])
})
