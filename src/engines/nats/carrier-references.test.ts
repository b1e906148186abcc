/** Carrier references of several processes on one broker and on three, and during outages. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type EngineOptions, openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openNats, openOwnNats } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import {
  assertDurable,
  carrierReferencesContract,
  DELIVERED,
  someRef,
  someReferences,
} from '../../ports/carrier-references.contract.ts'
import { type CarrierReferences, REFERENCES_KEPT_FOR } from '../../ports/carrier-references.ts'
import { ACME } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openNats as connect } from './connection.ts'
import { JetStream } from './jetstream.ts'

const broker = await openNats()
const brokers = await openOwnNats({ nodes: 3 })
after(() => Promise.all([broker[Symbol.asyncDispose](), brokers[Symbol.asyncDispose]()]))

async function openTwo(options: EngineOptions) {
  const shared = { ...options, prefix: newPrefix() }
  await using opened = new AsyncDisposableStack()
  const [one, other] = [opened.use(await openEngine(shared)), opened.use(await openEngine(shared))]
  const closing = opened.move()
  return {
    one: one.carrierReferences,
    other: other.carrierReferences,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

carrierReferencesContract('nats', () => openTwo(broker))
carrierReferencesContract('three brokers', () => openTwo({ ...brokers, replicas: 3 }))

describe('carrier references on a broker', { timeout: 120_000 }, () => {
  test('survive a restart of the broker', async () => {
    await using victim = await openOwnNats()
    const prefix = newPrefix()
    await using before = await openEngine({ ...victim, prefix })
    await using opened = new AsyncDisposableStack()
    await assertDurable(before.carrierReferences, async () => {
      await victim.faults.kill()
      await victim.faults.restart()
      return opened.use(await openEngine({ ...victim, prefix })).carrierReferences
    })
  })

  test('lose nothing when one of three brokers fails', async () => {
    await using victims = await openOwnNats({ nodes: 3 })
    await using engine = await openEngine({ ...victims, replicas: 3, partitions: 1, timeoutMs: 1_000 })
    const { carrierReferences: receipts } = engine
    await assertDurable(receipts, async () => {
      await victims.faults.stop(0)
      await untilUp(receipts)
      return receipts
    })
  })

  test('are unavailable during an outage, and available afterwards', async () => {
    await using victim = await openOwnNats()
    await using engine = await openEngine({ ...victim, timeoutMs: 1_000 })
    const { carrierReferences: receipts } = engine
    const [names, ref] = [someReferences(), someRef()]
    await victim.faults.stop()
    await assert.rejects(receipts.register(ACME, names, ref), Unavailable)
    await assert.rejects(receipts.report(ACME, names[0] ?? '', DELIVERED), Unavailable)
    await victim.faults.restart()
    await untilUp(receipts)
    assert.deepEqual(await receipts.register(ACME, names, ref), [undefined])
  })

  test('keep one entry per reference as long as it may be needed, and none for reports on single-part messages', async () => {
    const prefix = newPrefix()
    await using engine = await openEngine({ ...broker, prefix })
    const { carrierReferences: receipts } = engine
    const names = someReferences()
    for (let n = 0; n < 3; n += 1) await receipts.register(ACME, names, someRef())
    await receipts.report(ACME, names[0] ?? '', DELIVERED)

    await using connection = await connect(broker)
    const { config, state } = await new JetStream(connection, 1).api<Info>(`STREAM.INFO.${prefix}_RECEIPTS`)
    assert.deepEqual(state, { ...state, messages: 1, last_seq: 3 })
    assert.equal(config.max_age, REFERENCES_KEPT_FOR * 1_000_000)
  })
})

type Info = Readonly<{ config: { max_age: number }; state: { messages: number; last_seq: number } }>

const untilUp = (receipts: CarrierReferences): Promise<boolean> =>
  until(
    'the broker to take names',
    () =>
      receipts.register(ACME, someReferences(), someRef()).then(
        () => true,
        () => false,
      ),
    { withinMs: 30_000 },
  )
