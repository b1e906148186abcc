import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { erase } from '../admin/erase.ts'
import { DEFERS, OUTCOME_UNKNOWN, receiptOf } from '../gateway.fixture.ts'
import { applyReceipt } from './apply-receipt.ts'
import { ANA, CONTENT, EVA, MAIL_SUBMISSION, openMailGateway, RUI, UNAVAILABLE } from './suppress.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const HANDED_OFF = ['MessageCreated', 'MessageValidated', 'HandoffAttempted', 'HandoffAccepted']

/** An email that was handed off. */
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
  test(`a ${reason} report is applied to the message and suppresses its recipient`, async () => {
    const { deps, id, state: stateOf, kinds, suppressionOf } = await sent()
    const receipt = receiptOf(await stateOf(), state, { suppresses: reason })
    assert.equal(await applyReceipt(deps, receipt), 'applied')
    assert.equal((await kinds()).length, HANDED_OFF.length + 1)
    assert.equal((await stateOf()).providerState, state)
    const entry = await suppressionOf(ANA)
    assert.deepEqual([entry?.reason, entry?.messageId, entry?.address], [reason, id, 'ana@example.com'])
    assert.deepEqual([await suppressionOf(RUI), await suppressionOf(EVA)], [undefined, undefined])
  })

  test(`a ${reason} of a copy leaves the message unchanged and suppresses only that address`, async () => {
    const { deps, state: stateOf, kinds, suppressionOf } = await sent()
    for (const about of [RUI, EVA]) {
      const receipt = receiptOf(await stateOf(), state, { suppresses: reason, about, reportId: about })
      assert.equal(await applyReceipt(deps, receipt), 'applied')
      assert.equal((await suppressionOf(about))?.reason, reason)
    }
    assert.deepEqual(await kinds(), HANDED_OFF)
    assert.equal(await suppressionOf(ANA), undefined)
  })
}

test('a delivered copy does not mark the message delivered', async () => {
  const { deps, state, kinds, suppressionOf } = await sent()
  await applyReceipt(deps, receiptOf(await state(), 'delivered', { about: RUI }))
  assert.deepEqual(await kinds(), HANDED_OFF)
  assert.equal(await suppressionOf(RUI), undefined)
})

test('a report that names the main recipient applies to the message, case-insensitively', async () => {
  const { deps, state, kinds } = await sent()
  await applyReceipt(deps, receiptOf(await state(), 'delivered', { about: 'ANA@example.com' as EmailAddress }))
  assert.deepEqual(await kinds(), [...HANDED_OFF, 'ProviderDelivered'])
})

test('a soft bounce suppresses nobody', async () => {
  const { deps, state, suppressionOf } = await sent()
  await applyReceipt(deps, receiptOf(await state(), 'bounced', { about: ANA }))
  assert.equal((await state()).providerState, 'bounced')
  assert.equal(await suppressionOf(ANA), undefined)
})

test('a bounce of an erased email suppresses the address it names, and nobody without one', async () => {
  for (const [about, expected] of [
    [ANA, 'hard_bounce'],
    [undefined, undefined],
  ] as const) {
    const { deps, engine, id, state, suppressionOf } = await sent()
    await erase({ ...deps, ...engine }, await state())
    assert.equal((await deps.log.load(id))?.content, undefined)
    const receipt = receiptOf(await state(), 'bounced', omitUndefined({ suppresses: 'hard_bounce' as const, about }))
    assert.equal(await applyReceipt(deps, receipt), 'applied')
    assert.equal((await state()).providerState, 'bounced')
    assert.equal((await suppressionOf(ANA))?.reason, expected)
  }
})

test('a report fails while the list is unavailable, and its retry is recorded once', async () => {
  const { deps, state, kinds, suppressionOf } = await sent()
  const receipt = receiptOf(await state(), 'complaint', { suppresses: 'complaint' })
  await assert.rejects(applyReceipt({ ...deps, suppressions: UNAVAILABLE }, receipt), Unavailable)
  await applyReceipt(deps, receipt)
  assert.deepEqual(await kinds(), [...HANDED_OFF, 'ProviderComplaint'])
  assert.equal((await suppressionOf(ANA))?.reason, 'complaint')
})

test('a report on an unknown message suppresses nobody', async () => {
  const { deps, state, suppressionOf } = await sent()
  const { ref, ...rest } = receiptOf(await state(), 'bounced', { suppresses: 'hard_bounce', about: RUI })
  const stray = { ...rest, ref: { ...ref, messageId: deps.ids.messageId(deps.clock()) } }
  assert.equal(await applyReceipt(deps, stray), 'unmatched')
  assert.equal(await suppressionOf(RUI), undefined)
})

test('a report suppresses only recipients of the email', async () => {
  const { deps, state, suppressionOf } = await sent()
  const stranger = 'victim@example.com' as EmailAddress
  await applyReceipt(deps, receiptOf(await state(), 'bounced', { suppresses: 'hard_bounce', about: stranger }))
  assert.equal(await suppressionOf(stranger), undefined)
})

test('an unauthenticated report on an erased email suppresses nobody', async () => {
  const { deps, engine, id, state, suppressionOf } = await sent()
  await erase({ ...deps, ...engine }, { tenantId: (await state()).tenantId, id, traceId: (await state()).traceId })
  const report = { suppresses: 'hard_bounce', about: ANA, unauthenticated: true } as const
  await applyReceipt(deps, receiptOf(await state(), 'bounced', report))
  assert.equal(await suppressionOf(ANA), undefined)
})

test('a report on a copy resolves an unknown outcome as handed off and changes nothing else', async () => {
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

test('a bounce from a forwarding address bounces the message of a single recipient and suppresses nobody', async () => {
  const gateway = openMailGateway(world)
  const id = await gateway.submit({ ...MAIL_SUBMISSION, content: { ...CONTENT, cc: [], bcc: [] } })
  await gateway.work()
  const report = { suppresses: 'hard_bounce', about: RUI, unauthenticated: true } as const
  await applyReceipt(gateway.deps, receiptOf(await gateway.stateOf(id), 'bounced', report))
  assert.equal((await gateway.stateOf(id)).providerState, 'bounced')
  assert.deepEqual([await gateway.suppressionOf(RUI), await gateway.suppressionOf(ANA)], [undefined, undefined])
})

test('on an erased email ignores unauthenticated reports with an address and reports on copies', async () => {
  for (const report of [
    { about: RUI, unauthenticated: true },
    { about: RUI, copy: true },
  ] as const) {
    const { deps, engine, state, kinds } = await sent()
    await erase({ ...deps, ...engine }, await state())
    const before = await kinds()
    await applyReceipt(deps, receiptOf(await state(), 'bounced', report))
    assert.deepEqual(await kinds(), before)
  }
})

test('an unauthenticated report on an attempt that was never made or was refused is unmatched', async () => {
  const { deps, state, kinds, suppressionOf } = await sent()
  const unauthenticated = { about: ANA, suppresses: 'hard_bounce', unauthenticated: true } as const
  for (const beyond of [{ cycle: 9 }, { attempt: 2 }]) {
    const { ref, ...rest } = receiptOf(await state(), 'bounced', unauthenticated)
    assert.equal(await applyReceipt(deps, { ...rest, ref: { ...ref, ...beyond } }), 'unmatched')
  }
  assert.deepEqual([await kinds(), await suppressionOf(ANA)], [HANDED_OFF, undefined])

  const refused = openMailGateway(world, [DEFERS])
  const id = await refused.send()
  await refused.work()
  assert.equal(
    await applyReceipt(refused.deps, receiptOf(await refused.stateOf(id), 'delivered', unauthenticated)),
    'unmatched',
  )
  assert.equal((await refused.kindsOf(id)).at(-1), 'RetryScheduled')
})
