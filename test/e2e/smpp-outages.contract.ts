/** Outages of SMSCs and restarts of gateways: no message is lost, and no outcome is unknown without need. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { SMSC } from '../support/fake-smsc.ts'
import { freshNumber, kindsOf, search, send, show, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import type { SmppSite } from './smpp.contract.ts'
import { PATIENT, submitsTo, toElse, untilBound } from './smpp-carriers.fixture.ts'

/** The first thousand numbers of `freshNumber`. */
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

  test('an unreachable SMSC is excluded or waited for, and used again when it is back', async () => {
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
    // No attempt was made, so none is used up.
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

  test('a receipt is matched after all processes were killed and restarted', async () => {
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

  test('a gateway that receives SIGTERM waits for outstanding answers and leaves no unknown outcome', async () => {
    let isHolding = true
    plain.react(() => (isHolding ? 'hold' : 'take'))
    const before = plain.submitted
    const numbers = Array.from({ length: 30 }, () => freshNumber())
    const ids = await Promise.all(numbers.map((to) => send(gateway, { to, sender_id: 'plain' })))
    await until('a window to be full', () => plain.submitted - before >= 10, PATIENT)
    const { closed } = await site.watchConnections()
    const stopped = site.stop('SIGTERM')
    await closed
    // Some time later a process with outstanding answers still waits; one without may exit.
    for (let turn = 0; turn < 100; turn += 1) await plain.drain()
    assert.ok(plain.bound >= 1, 'no process waits')
    assert.deepEqual([plain.bound + plain.unbinds, plain.unboundWhilePending], [2, 0])
    isHolding = false
    plain.release('backwards')
    for (const { code, err } of await stopped) assert.equal(code, 0, err)
    assert.equal(plain.unbinds, 2)

    await site.start()
    for (const [index, id] of ids.entries()) {
      const message = await untilStatus(gateway, id, 'sent', PATIENT)
      assert.deepEqual(kindsOf(message), ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted'])
      assert.equal(submitsTo(plain, numbers[index] ?? '').length, 1)
    }
    await untilIndexed(gateway, PATIENT)
    assert.deepEqual((await search(gateway, { unknown: 'true' })).items, [])
  })

  test('the logs contain no number, text or password', async () => {
    const { items } = await search(gateway, { limit: '200' })
    const output = site.output() + JSON.stringify(items)
    assert.ok(output.includes('HandoffAccepted'))
    for (const hidden of [SMSC.password, 'Your parcel', 'Olá', '5 €']) assert.ok(!output.includes(hidden), hidden)
    assert.deepEqual(output.match(NUMBERS), null)
  })
}
