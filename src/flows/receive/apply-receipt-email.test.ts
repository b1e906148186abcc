import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { erase } from '../admin/erase.ts'
import { DEFERS, OUTCOME_UNKNOWN, receiptOf } from '../gateway.fixture.ts'
import { applyReceipt } from './apply-receipt.ts'
import { ANA, AWAY, CONTENT, EVA, MAIL_SUBMISSION, openMailGateway, RUI } from './suppress.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const HANDED_OFF = ['MessageCreated', 'MessageValidated', 'HandoffAttempted', 'HandoffAccepted']

/** A mail that was handed off. */
async function sent() {
  const gateway = openMailGateway(world)
  const id = await gateway.send()
  await gateway.work()
  const state = () => gateway.stateOf(id)
  return { ...gateway, id, state, kinds: () => gateway.kindsOf(id) }
}

for (const [state, reason] of [
  ['bounced', 'hard_bounce'],
  ['complaint', 'complaint'],
] as const) {
  test(`a report of a ${reason} is told of the message, and the one it is for gets no more mail`, async () => {
    const { deps, id, state: stateOf, kinds, known } = await sent()
    const receipt = receiptOf(await stateOf(), state, { suppresses: reason })
    assert.equal(await applyReceipt(deps, receipt), 'applied')
    assert.equal((await kinds()).length, HANDED_OFF.length + 1)
    assert.equal((await stateOf()).providerState, state)
    const entry = await known(ANA)
    assert.deepEqual([entry?.reason, entry?.messageId, entry?.address], [reason, id, 'ana@example.com'])
    assert.deepEqual([await known(RUI), await known(EVA)], [undefined, undefined])
  })

  test(`a ${reason} of a copy changes nothing of the message, and only its reader gets no more mail`, async () => {
    const { deps, state: stateOf, kinds, known } = await sent()
    for (const about of [RUI, EVA]) {
      const receipt = receiptOf(await stateOf(), state, { suppresses: reason, about, reportId: about })
      assert.equal(await applyReceipt(deps, receipt), 'applied')
      assert.equal((await known(about))?.reason, reason)
    }
    assert.deepEqual(await kinds(), HANDED_OFF)
    assert.equal(await known(ANA), undefined)
  })
}

test('a copy that was delivered delivers nothing', async () => {
  const { deps, state, kinds, known } = await sent()
  await applyReceipt(deps, receiptOf(await state(), 'delivered', { about: RUI }))
  assert.deepEqual(await kinds(), HANDED_OFF)
  assert.equal(await known(RUI), undefined)
})

test('a report that names the one it is for is about the message, whatever the case', async () => {
  const { deps, state, kinds } = await sent()
  await applyReceipt(deps, receiptOf(await state(), 'delivered', { about: 'ANA@example.com' as EmailAddress }))
  assert.deepEqual(await kinds(), [...HANDED_OFF, 'ProviderDelivered'])
})

test('a bounce that is not for good suppresses nobody', async () => {
  const { deps, state, known } = await sent()
  await applyReceipt(deps, receiptOf(await state(), 'bounced', { about: ANA }))
  assert.equal((await state()).providerState, 'bounced')
  assert.equal(await known(ANA), undefined)
})

test('of mail that was erased meanwhile a bounce suppresses whom it names, and nobody where it names none', async () => {
  for (const [about, expected] of [
    [ANA, 'hard_bounce'],
    [undefined, undefined],
  ] as const) {
    const { deps, engine, id, state, known } = await sent()
    await erase({ ...deps, ...engine }, await state())
    assert.equal((await deps.log.load(id))?.content, undefined)
    const whom = about === undefined ? {} : { about }
    const receipt = receiptOf(await state(), 'bounced', { suppresses: 'hard_bounce', ...whom })
    assert.equal(await applyReceipt(deps, receipt), 'applied')
    assert.equal((await state()).providerState, 'bounced')
    assert.equal((await known(ANA))?.reason, expected)
  }
})

test('a report that comes while the list is away fails, so that it is told again, and then tells the message nothing new', async () => {
  const { deps, state, kinds, known } = await sent()
  const receipt = receiptOf(await state(), 'complaint', { suppresses: 'complaint' })
  await assert.rejects(applyReceipt({ ...deps, suppressions: AWAY }, receipt), Unavailable)
  await applyReceipt(deps, receipt)
  assert.deepEqual(await kinds(), [...HANDED_OFF, 'ProviderComplaint'])
  assert.equal((await known(ANA))?.reason, 'complaint')
})

test('a report of a message nobody knows suppresses nobody', async () => {
  const { deps, state, known } = await sent()
  const { ref, ...rest } = receiptOf(await state(), 'bounced', { suppresses: 'hard_bounce', about: RUI })
  const stray = { ...rest, ref: { ...ref, messageId: deps.ids.messageId(deps.clock()) } }
  assert.equal(await applyReceipt(deps, stray), 'unmatched')
  assert.equal(await known(RUI), undefined)
})

test('a report suppresses nobody whom the mail did not go to', async () => {
  const { deps, state, known } = await sent()
  const stranger = 'victim@example.com' as EmailAddress
  await applyReceipt(deps, receiptOf(await state(), 'bounced', { suppresses: 'hard_bounce', about: stranger }))
  assert.equal(await known(stranger), undefined)
})

test('hearsay of a mail that was erased suppresses nobody: whom it was for cannot be looked up', async () => {
  const { deps, engine, id, state, known } = await sent()
  await erase({ ...deps, ...engine }, { tenantId: (await state()).tenantId, id, traceId: (await state()).traceId })
  const told = { suppresses: 'hard_bounce', about: ANA, unauthenticated: true } as const
  await applyReceipt(deps, receiptOf(await state(), 'bounced', told))
  assert.equal(await known(ANA), undefined)
})

test('a report about a copy proves that the provider has the mail it was not sure of, and tells no more of it', async () => {
  for (const state of ['delivered', 'bounced'] as const) {
    const gateway = openMailGateway(world, [OUTCOME_UNKNOWN])
    const id = await gateway.send()
    await gateway.work()
    await applyReceipt(gateway.deps, receiptOf(await gateway.stateOf(id), state, { about: RUI }))
    const { phase, handoffState, providerState } = await gateway.stateOf(id)
    assert.deepEqual([phase, handoffState, providerState], ['closed', 'handed_off', 'unknown'])
    assert.equal((await gateway.kindsOf(id)).at(-1), 'HandoffAccepted')
  }
})

test('a mail that one person got is bounced from wherever it was forwarded to, and that address is not suppressed', async () => {
  const gateway = openMailGateway(world)
  const id = await gateway.submit({ ...MAIL_SUBMISSION, content: { ...CONTENT, cc: [], bcc: [] } })
  await gateway.work()
  const told = { suppresses: 'hard_bounce', about: RUI, unauthenticated: true } as const
  await applyReceipt(gateway.deps, receiptOf(await gateway.stateOf(id), 'bounced', told))
  assert.equal((await gateway.stateOf(id)).providerState, 'bounced')
  assert.deepEqual([await gateway.known(RUI), await gateway.known(ANA)], [undefined, undefined])
})

test('of mail that was erased hearsay about an address changes nothing, nor does what the provider says of a copy', async () => {
  for (const told of [
    { about: RUI, unauthenticated: true },
    { about: RUI, copy: true },
  ] as const) {
    const { deps, engine, state, kinds } = await sent()
    await erase({ ...deps, ...engine }, await state())
    const before = await kinds()
    await applyReceipt(deps, receiptOf(await state(), 'bounced', told))
    assert.deepEqual(await kinds(), before)
  }
})

test('hearsay of an attempt that was never made, or that was refused, is about nothing', async () => {
  const { deps, state, kinds, known } = await sent()
  const unauthenticated = { about: ANA, suppresses: 'hard_bounce', unauthenticated: true } as const
  for (const beyond of [{ cycle: 9 }, { attempt: 2 }]) {
    const { ref, ...rest } = receiptOf(await state(), 'bounced', unauthenticated)
    assert.equal(await applyReceipt(deps, { ...rest, ref: { ...ref, ...beyond } }), 'unmatched')
  }
  assert.deepEqual([await kinds(), await known(ANA)], [HANDED_OFF, undefined])

  const refused = openMailGateway(world, [DEFERS])
  const id = await refused.send()
  await refused.work()
  assert.equal(
    await applyReceipt(refused.deps, receiptOf(await refused.stateOf(id), 'delivered', unauthenticated)),
    'unmatched',
  )
  assert.equal((await refused.kindsOf(id)).at(-1), 'RetryScheduled')
})
