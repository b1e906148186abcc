import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { selfSigned } from '../../../test/support/self-signed.ts'
import { allUp, openSmppWorld, type SmppWorld } from '../../../test/support/smpp-world.ts'
import { until } from '../../../test/support/until.ts'
import { someAttempt } from '../../ports/provider.contract.ts'

const timeout = (): AbortSignal => AbortSignal.timeout(30_000)
const send = ({ provider }: SmppWorld) => provider.send(someAttempt(), timeout())
const sendMany = (world: SmppWorld, count: number) => Promise.all(Array.from({ length: count }, () => send(world)))
const areAccepted = (outcomes: readonly { kind: string }[]) => outcomes.every(({ kind }) => kind === 'accepted')

describe('sessions with an SMSC', { timeout: 120_000 }, () => {
  test('binds as a transceiver of version 3.4, as often as configured', async () => {
    await using world = await openSmppWorld({ settings: { binds: 3, system_type: 'gw' } })
    assert.deepEqual(world.provider.connections?.(), { wanted: 3, up: 3 })
    const [bind] = world.smsc.binds
    assert.deepEqual(
      [bind?.system_id, bind?.password, bind?.system_type, bind?.interface_version],
      ['pombo', 'a-secret', 'gw', 0x34],
    )
  })

  test('uses the whole window and never exceeds it', async () => {
    await using world = await openSmppWorld({ settings: { window: 7 }, smsc: { latencyMs: 5 } })
    assert.ok(areAccepted(await sendMany(world, 60)))
    assert.equal(world.smsc.maxInFlight, 7)
  })

  test('distributes parts over all sessions', async () => {
    await using world = await openSmppWorld({ settings: { binds: 3, window: 2 }, smsc: { latencyMs: 5 } })
    assert.ok(areAccepted(await sendMany(world, 30)))
    assert.equal(new Set(world.smsc.submits.map(({ session }) => session)).size, 3)
    assert.equal(world.smsc.maxInFlight, 2)
  })

  test('matches answers that arrive in any order', async () => {
    await using world = await openSmppWorld()
    world.smsc.react('hold')
    const sent = sendMany(world, 5)
    await until('five submits', () => world.smsc.submitted === 5)
    world.smsc.release('backwards')
    const ids = (await sent).map((outcome) => outcome.kind === 'accepted' && outcome.providerMessageId)
    assert.deepEqual(
      ids,
      world.smsc.submits.map(({ id }) => id),
    )
  })

  test('keeps to the configured rate', async () => {
    await using world = await openSmppWorld({ settings: { parts_per_second: 20, window: 100 } })
    assert.ok(areAccepted(await sendMany(world, 30)))
    const at = world.smsc.submits.map((submit) => submit.at)
    // The burst is two parts, then one every 50 ms, with some tolerance for timers.
    assert.ok((at.at(-1) ?? 0) - (at[0] ?? 0) >= 1_300, `${(at.at(-1) ?? 0) - (at[0] ?? 0)}`)
  })

  for (const [what, end] of [
    ['the connection is lost', ({ smsc }: SmppWorld) => smsc.hangUp()],
    ['the SMSC unbinds', ({ smsc }: SmppWorld) => smsc.unbind()],
    ['the SMSC sends an invalid length', ({ smsc }: SmppWorld) => smsc.writeRaw(Buffer.alloc(64, 0xff))],
    ['the SMSC sends a length of zero', ({ smsc }: SmppWorld) => smsc.writeRaw(Buffer.alloc(64))],
    ['the SMSC has lost the session', ({ smsc }: SmppWorld) => smsc.react((nth) => (nth === 1 ? 4 : 'take'))],
  ] as const) {
    test(`rebinds when ${what}`, async () => {
      await using world = await openSmppWorld({ settings: { binds: 2 } })
      const before = world.smsc.binds.length
      end(world)
      await until('another bind', async () => {
        await send(world)
        return world.smsc.binds.length > before
      })
      await allUp(world.provider)
      assert.equal((await send(world)).kind, 'accepted')
    })
  }

  test('sends enquire_link to a silent SMSC and keeps the session while it answers', async () => {
    await using world = await openSmppWorld({ settings: { enquire_seconds: 0.1, response_seconds: 30 } })
    await until('three enquiries', () => world.smsc.enquiries >= 3)
    assert.equal(world.smsc.binds.length, 1)
  })

  test('rebinds when the SMSC stops answering', async () => {
    await using world = await openSmppWorld({ settings: { enquire_seconds: 0.1, response_seconds: 0.2 } })
    world.smsc.stopResponding()
    await until('another bind', () => world.smsc.binds.length > 1)
  })

  test('answers enquire_link', async () => {
    await using world = await openSmppWorld()
    await world.smsc.drain()
  })

  test('answers an unknown command with generic_nack and continues', async () => {
    await using world = await openSmppWorld()
    world.smsc.sendPdu('query_sm', { message_id: '1' })
    world.smsc.sendPdu('alert_notification')
    await until('the answer', () => world.smsc.nacks.length > 0)
    assert.deepEqual(world.smsc.nacks, [0x03])
    assert.equal((await send(world)).kind, 'accepted')
    assert.equal(world.smsc.binds.length, 1)
  })

  test('logs a wrong password once, without the password', async () => {
    await using world = await openSmppWorld({ settings: { password: 'not-this-one' } }, 'down')
    await world.smsc.start()
    await until('several tries', () => world.smsc.binds.length >= 4)
    const refusals = world.logs.filter((line) => line.includes('AUTHENTICATION_FAILED'))
    assert.equal(refusals.length, 1)
    assert.ok(!world.logs.join().includes('not-this-one'))
    assert.equal((await send(world)).kind, 'deferred')
  })

  test('retries a bind that the SMSC refuses temporarily', async () => {
    await using world = await openSmppWorld({}, 'down')
    world.smsc.refuseBinds(0x0d)
    await world.smsc.start()
    await until('two tries', () => world.smsc.binds.length >= 2)
    world.smsc.refuseBinds(undefined)
    await allUp(world.provider)
    assert.equal((await send(world)).kind, 'accepted')
  })

  test('logs every change of a session', async () => {
    await using world = await openSmppWorld({}, 'down')
    await until('the first failure', () => world.logs.length === 1)
    await world.smsc.start()
    await allUp(world.provider)
    await world.smsc.stop()
    await until('the loss', () => world.logs.length === 3)
    assert.deepEqual(world.logs, [
      'warn: smpp: session lost, reconnecting {"wanted":1,"up":0,"reason":"ECONNREFUSED"}',
      'info: smpp: session up {"wanted":1,"up":1}',
      'warn: smpp: session lost, reconnecting {"wanted":1,"up":0,"reason":"CLOSED"}',
    ])
  })

  test('waits for parts in flight and unbinds before it closes', async () => {
    await using world = await openSmppWorld()
    world.smsc.react('hold')
    const sent = send(world)
    await until('the submit', () => world.smsc.submitted === 1)
    const closed = world.provider[Symbol.asyncDispose]()
    assert.equal((await send(world)).kind, 'deferred', 'nothing new is accepted')
    await world.smsc.drain()
    assert.equal(world.smsc.unbinds, 0)
    world.smsc.release()
    assert.equal((await sent).kind, 'accepted')
    await closed
    assert.deepEqual([world.smsc.unbinds, world.smsc.submitted], [1, 1])
    await until('the end of the session', () => world.smsc.connected === 0)
  })

  test('binds only if the certificate is trusted', async () => {
    const { key, cert } = selfSigned('127.0.0.1')
    await using distrusting = await openSmppWorld({ smsc: { tls: { key, cert } }, settings: { tls: true } }, 'down')
    await distrusting.smsc.start()
    await until('the failure', () => distrusting.smsc.tlsErrors > 0)
    assert.equal(distrusting.smsc.binds.length, 0)
    await using world = await openSmppWorld({ smsc: { tls: { key, cert } }, settings: { tls: true, ca: cert } })
    assert.equal((await send(world)).kind, 'accepted')
  })
})
