import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { selfSigned } from '../../../test/support/self-signed.ts'
import { allUp, openSmppWorld, type SmppWorld } from '../../../test/support/smpp-world.ts'
import { until } from '../../../test/support/until.ts'
import { someAttempt } from '../../ports/provider.contract.ts'

const PATIENT = (): AbortSignal => AbortSignal.timeout(30_000)
const send = ({ provider }: SmppWorld) => provider.send(someAttempt(), PATIENT())
const sendMany = (world: SmppWorld, count: number) => Promise.all(Array.from({ length: count }, () => send(world)))
const areTaken = (outcomes: readonly { kind: string }[]) => outcomes.every(({ kind }) => kind === 'accepted')

describe('sessions with an SMSC', { timeout: 120_000 }, () => {
  test('it binds as a transceiver of version 3.4, as often as it is set to', async () => {
    await using world = await openSmppWorld({ settings: { binds: 3, system_type: 'gw' } })
    assert.deepEqual(world.provider.connections?.(), { wanted: 3, up: 3 })
    const [bind] = world.smsc.binds
    assert.deepEqual(
      [bind?.system_id, bind?.password, bind?.system_type, bind?.interface_version],
      ['pombo', 'a-secret', 'gw', 0x34],
    )
  })

  test('the window is never exceeded, and is used up', async () => {
    await using world = await openSmppWorld({ settings: { window: 7 }, smsc: { latencyMs: 5 } })
    assert.ok(areTaken(await sendMany(world, 60)))
    assert.equal(world.smsc.mostOpen, 7)
  })

  test('several sessions share the work', async () => {
    await using world = await openSmppWorld({ settings: { binds: 3, window: 2 }, smsc: { latencyMs: 5 } })
    assert.ok(areTaken(await sendMany(world, 30)))
    assert.equal(new Set(world.smsc.submits.map(({ session }) => session)).size, 3)
    assert.equal(world.smsc.mostOpen, 2)
  })

  test('answers in any order go to whom they belong', async () => {
    await using world = await openSmppWorld()
    world.smsc.react('hold')
    const sent = sendMany(world, 5)
    await until('five submits', () => world.smsc.submitted === 5)
    world.smsc.release('backwards')
    const names = (await sent).map((outcome) => outcome.kind === 'accepted' && outcome.providerMessageId)
    assert.deepEqual(
      names,
      world.smsc.submits.map(({ id }) => id),
    )
  })

  test('the pace is kept', async () => {
    await using world = await openSmppWorld({ settings: { parts_per_second: 20, window: 100 } })
    assert.ok(areTaken(await sendMany(world, 30)))
    const at = world.smsc.submits.map((submit) => submit.at)
    // Two may go at once, and after that one every 50 ms; the clock of a test is not that exact.
    assert.ok((at.at(-1) ?? 0) - (at[0] ?? 0) >= 1_300, `${(at.at(-1) ?? 0) - (at[0] ?? 0)}`)
  })

  for (const [what, end] of [
    ['the connection breaks', ({ smsc }: SmppWorld) => smsc.hangUp()],
    ['the SMSC unbinds', ({ smsc }: SmppWorld) => smsc.unbind()],
    ['the SMSC writes a length that cannot be', ({ smsc }: SmppWorld) => smsc.babble(Buffer.alloc(64, 0xff))],
    ['the SMSC writes no length at all', ({ smsc }: SmppWorld) => smsc.babble(Buffer.alloc(64))],
    ['the SMSC has forgotten the session', ({ smsc }: SmppWorld) => smsc.react((nth) => (nth === 1 ? 4 : 'take'))],
  ] as const) {
    test(`it binds again when ${what}`, async () => {
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

  test('it asks a silent SMSC whether it is there, and leaves it while it answers', async () => {
    await using world = await openSmppWorld({ settings: { enquire_seconds: 0.1, response_seconds: 30 } })
    await until('three questions', () => world.smsc.enquiries >= 3)
    assert.equal(world.smsc.binds.length, 1)
  })

  test('it leaves an SMSC that says nothing any more, and binds again', async () => {
    await using world = await openSmppWorld({ settings: { enquire_seconds: 0.1, response_seconds: 0.2 } })
    world.smsc.fallSilent()
    await until('another bind', () => world.smsc.binds.length > 1)
  })

  test('it answers when it is asked itself', async () => {
    await using world = await openSmppWorld()
    await world.smsc.read()
  })

  test('what it does not understand it says so, and goes on', async () => {
    await using world = await openSmppWorld()
    world.smsc.say('query_sm', { message_id: '1' })
    world.smsc.say('alert_notification')
    await until('the answer', () => world.smsc.nacks.length > 0)
    assert.deepEqual(world.smsc.nacks, [0x03])
    assert.equal((await send(world)).kind, 'accepted')
    assert.equal(world.smsc.binds.length, 1)
  })

  test('a wrong password is told once, and never itself', async () => {
    await using world = await openSmppWorld({ settings: { password: 'not-this-one' } }, 'down')
    await world.smsc.start()
    await until('several tries', () => world.smsc.binds.length >= 4)
    const refusals = world.told.filter((line) => line.includes('AUTHENTICATION_FAILED'))
    assert.equal(refusals.length, 1)
    assert.ok(!world.told.join().includes('not-this-one'))
    assert.equal((await send(world)).kind, 'deferred')
  })

  test('one that refuses for a while is called again', async () => {
    await using world = await openSmppWorld({}, 'down')
    world.smsc.refuseBinds(0x0d)
    await world.smsc.start()
    await until('two tries', () => world.smsc.binds.length >= 2)
    world.smsc.refuseBinds(undefined)
    await allUp(world.provider)
    assert.equal((await send(world)).kind, 'accepted')
  })

  test('how its sessions are is told with every change', async () => {
    await using world = await openSmppWorld({}, 'down')
    await until('the absence', () => world.told.length === 1)
    await world.smsc.start()
    await allUp(world.provider)
    await world.smsc.stop()
    await until('the loss', () => world.told.length === 3)
    assert.deepEqual(world.told, [
      'warn: a session with the SMSC is down; it is called again {"wanted":1,"up":0,"reason":"ECONNREFUSED"}',
      'info: a session with the SMSC is up {"wanted":1,"up":1}',
      'warn: a session with the SMSC is down; it is called again {"wanted":1,"up":0,"reason":"CLOSED"}',
    ])
  })

  test('before it closes what is under way may end, and it takes leave', async () => {
    await using world = await openSmppWorld()
    world.smsc.react('hold')
    const sent = send(world)
    await until('the submit', () => world.smsc.submitted === 1)
    const closed = world.provider[Symbol.asyncDispose]()
    assert.equal((await send(world)).kind, 'deferred', 'nothing new is taken')
    await world.smsc.read()
    assert.equal(world.smsc.unbinds, 0)
    world.smsc.release()
    assert.equal((await sent).kind, 'accepted')
    await closed
    assert.deepEqual([world.smsc.unbinds, world.smsc.submitted], [1, 1])
    await until('the end of the session', () => world.smsc.connected === 0)
  })

  test('a wrong certificate lets nothing through, and a right one does', async () => {
    const { key, cert } = selfSigned('127.0.0.1')
    await using wary = await openSmppWorld({ smsc: { tls: { key, cert } }, settings: { tls: true } }, 'down')
    await wary.smsc.start()
    await until('the failure', () => wary.smsc.distrusted > 0)
    assert.equal(wary.smsc.binds.length, 0)
    await using world = await openSmppWorld({ smsc: { tls: { key, cert } }, settings: { tls: true, ca: cert } })
    assert.equal((await send(world)).kind, 'accepted')
  })
})
