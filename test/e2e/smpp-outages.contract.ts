/** SMSCs that go away and gateways that end: what was promised is kept, and nothing is left with an unknown outcome that need not be. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { SMSC } from '../support/fake-smsc.ts'
import { freshNumber, kindsOf, search, send, show, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import type { SmppSite } from './smpp.contract.ts'
import { PATIENT, submitsTo, toElse, untilBound } from './smpp-carriers.fixture.ts'

/** Any of the first thousand that a test makes up, and what is said before it. */
const NUMBERS = /.{0,40}15551000\d{3}/g

type Shown = Readonly<{
  name: string
  reports: string
  connections: Readonly<{ wanted: number; up: number }> | null
  breaker: Readonly<{ state: string }>
}>

export function smppOutagesContract({ site, carriers }: SmppSite): void {
  const { gateway, binds } = site
  const { plain, fickle } = carriers

  beforeEach(() => plain.react('take'))

  async function shown(name: string): Promise<Shown | undefined> {
    const { body } = await gateway.call<{ items: readonly Shown[] }>('GET', '/v1/providers')
    return body.items.find((one) => one.name === name)
  }

  test('an SMSC that is away is passed over or waited for, and used again when it is back', async () => {
    const up = { wanted: binds, up: binds }
    const { connections, reports } = (await shown('fickle')) ?? {}
    assert.deepEqual([connections, reports], [up, 'connection'])
    await fickle.stop()
    await until('the gateway to notice', async () => (await shown('fickle'))?.connections?.up === 0)
    const waiting = await send(gateway, { sender_id: 'fickle' })
    const passed = await untilStatus(
      gateway,
      await send(gateway, { sender_id: toElse('fickle') }),
      'delivered',
      PATIENT,
    )
    assert.equal(passed.provider, 'simulator')
    // Nothing was tried, so nothing is used up.
    assert.deepEqual(kindsOf(await show(gateway, waiting)), ['MessageCreated'])

    await fickle.start()
    assert.equal((await untilStatus(gateway, waiting, 'delivered', PATIENT)).provider, 'fickle')
    await until(
      'the SMSC to be used again',
      async () => {
        const id = await send(gateway, { sender_id: toElse('fickle') })
        return (await untilStatus(gateway, id, 'delivered', PATIENT)).provider === 'fickle'
      },
      PATIENT,
    )
    await untilBound(carriers)
    const back = await shown('fickle')
    assert.deepEqual([back?.connections, back?.breaker.state], [up, 'closed'])
  })

  test('a receipt finds its message after everything was killed and started again', async () => {
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: 'plain' })
    await untilStatus(gateway, id, 'sent', PATIENT)
    await site.stop('SIGKILL')
    await until('the sessions to end', () => plain.bound === 0, PATIENT)
    await site.start()
    await untilBound(carriers)
    assert.equal(await plain.report(submitsTo(plain, to)[0]?.id ?? '', 'DELIVRD', 1), 0)
    assert.equal((await show(gateway, id)).status, 'delivered')
  })

  test('a gateway that is told to stop waits for the answers that it is owed, and leaves no doubt', async () => {
    let isHolding = true
    plain.react(() => (isHolding ? 'hold' : 'take'))
    const before = plain.submitted
    const numbers = Array.from({ length: 30 }, () => freshNumber())
    const ids = await Promise.all(numbers.map((to) => send(gateway, { to, sender_id: 'plain' })))
    await until('a window to be full', () => plain.submitted - before >= 10, PATIENT)
    const { left } = await site.farewell()
    const stopped = site.stop('SIGTERM')
    await left
    // Many turns of its loop later whoever is owed an answer still waits; a process that is owed none may leave.
    for (let turn = 0; turn < 100; turn += 1) await plain.read()
    assert.ok(plain.bound >= 1, 'nobody waits')
    assert.deepEqual([plain.bound + plain.unbinds, plain.unboundWhileOwed], [2, 0])
    isHolding = false
    plain.release('backwards')
    for (const { code, err } of await stopped) assert.equal(code, 0, err)
    assert.equal(plain.unbinds, 2)

    await site.start()
    for (const [place, id] of ids.entries()) {
      const message = await untilStatus(gateway, id, 'sent', PATIENT)
      assert.deepEqual(kindsOf(message), ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted'])
      assert.equal(submitsTo(plain, numbers[place] ?? '').length, 1)
    }
    await untilIndexed(gateway, PATIENT)
    assert.deepEqual((await search(gateway, { unknown: 'true' })).items, [])
  })

  test('no number, text or password is in what the gateway says', async () => {
    const { items } = await search(gateway, { limit: '200' })
    const said = site.said() + JSON.stringify(items)
    assert.ok(said.includes('HandoffAccepted'))
    for (const hidden of [SMSC.password, 'Your parcel', 'Olá', '5 €']) assert.ok(!said.includes(hidden), hidden)
    assert.deepEqual(said.match(NUMBERS), null)
  })
}
