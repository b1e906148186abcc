import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type MemoryEngine, openMemoryEngine } from '../../test/memory/memory.ts'
import { type MemoryBroker, memoryBroker } from '../../test/memory/sink.ts'
import { until } from '../../test/support/until.ts'
import type { SinkName } from '../domain/ids.ts'
import { INTEGRATION_EVENTS, toIntegrationEvents } from '../domain/message/integration-events.ts'
import { later, millis, seconds } from '../lib/time.ts'
import { ACCEPTED, ATTEMPTED, append, createdEntry, NOON, nextEntry, type Seen } from '../ports/samples.contract.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { SINK_BATCH, type SinkObserver, SinkWorker } from './sink-worker.ts'

type Fault = 'available' | 'unavailable'

function openWorld() {
  let now = NOON
  const clock = () => now
  const engine = openMemoryEngine({ clock })
  return {
    engine,
    clock,
    broker: memoryBroker(),
    advance(by: number): void {
      now = later(now, millis(by))
    },
  }
}
type World = ReturnType<typeof openWorld>

function startWorker({ engine, clock, broker }: World, owner = 'one', types: readonly string[] = INTEGRATION_EVENTS) {
  const seen: Fault[] = []
  const observer: SinkObserver = {
    onPublished: () => undefined,
    onAvailable: () => seen.push('available'),
    onUnavailable: (error) => {
      assert.ok(error instanceof Unavailable)
      seen.push('unavailable')
    },
    onFault: (error) => assert.ok(error instanceof Unavailable, String(error)),
  }
  const plan = { name: 'crm' as SinkName, types: new Set(types), open: broker.open, claimEveryMs: 10 }
  const worker = new SinkWorker({ ...engine, clock, owner, observer }, plan)
  return { worker, seen, [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose]() }
}

/** Writes three events of one message, and returns the ids of what is published about them. */
async function write({ log }: MemoryEngine): Promise<readonly string[]> {
  const created = await append(log, createdEntry())
  const attempted = await append(log, nextEntry(created, ATTEMPTED))
  return idsOf([created, attempted, await append(log, nextEntry(attempted, ACCEPTED))])
}

const idsOf = (events: readonly Seen[]): readonly string[] =>
  events.flatMap(({ event }) => toIntegrationEvents(event).map(({ name }) => `${event.id}.${name}`))

const isStored = ({ stored }: MemoryBroker, ids: readonly string[]) =>
  until('all to be published', () => ids.every((id) => stored.some((one) => one.id === id)))

/** Once the sink is claimed, what is written is published. */
const isClaimed = ({ worker }: Readonly<{ worker: SinkWorker }>) =>
  until('the sink to be claimed', () => worker.position !== undefined)

describe('the worker of a sink', { timeout: 30_000 }, () => {
  test('publishes what happens from its first start on, in order, once, and goes on after a restart', async () => {
    const world = openWorld()
    await write(world.engine)
    const first = startWorker(world)
    await isClaimed(first)
    const ids = [...(await write(world.engine)), ...(await write(world.engine))]
    await isStored(world.broker, ids)
    await first[Symbol.asyncDispose]()
    ids.push(...(await write(world.engine)))
    await using _second = startWorker(world, 'two')
    await isStored(world.broker, ids)
    assert.deepEqual(
      world.broker.stored.map(({ id }) => id),
      ids,
    )
  })

  test('publishes only the types of the sink', async () => {
    const world = openWorld()
    await using started = startWorker(world, 'one', ['sms.outbound.retry.v1'])
    await isClaimed(started)
    await write(world.engine)
    const { log } = world.engine
    await until('the log to be read', async () => started.worker.position === (await log.tip()))
    assert.deepEqual(world.broker.stored, [])
  })

  test('holds one page while the broker is away, reads no further, and then publishes everything', async () => {
    const world = openWorld()
    let read = 0
    const { follow } = world.engine.log
    const log: MemoryEngine['log'] = {
      ...world.engine.log,
      async *follow(...args) {
        for await (const page of follow(...args)) {
          read += page.length
          yield page
        }
      },
    }
    await using started = startWorker({ ...world, engine: { ...world.engine, log } })
    await isClaimed(started)
    const begun = started.worker.position
    world.broker.set('away')
    const ids: string[] = []
    for (let nth = 0; nth < SINK_BATCH; nth += 1) ids.push(...(await write(world.engine)))
    await until('the loss to be noticed', () => started.seen.filter((fault) => fault === 'unavailable').length >= 2)
    assert.ok(read <= SINK_BATCH, `read ${read} events`)
    const claim = { sink: 'crm' as SinkName, owner: 'one', now: NOON, until: later(NOON, seconds(15)) }
    assert.equal(await world.engine.sinkPositions.claim(claim), begun, 'what is not stored is not noted as published')
    world.broker.set('up')
    await isStored(world.broker, ids)
    assert.deepEqual(
      world.broker.stored.map(({ id }) => id),
      ids,
    )
    assert.ok(world.broker.calls.every((events) => events <= SINK_BATCH))
    assert.equal(started.seen.at(-1), 'available')
  })

  test('publishes again what a broker stored and did not confirm, with the same ids', async () => {
    const world = openWorld()
    await using started = startWorker(world)
    await isClaimed(started)
    world.broker.set('mute')
    const ids = await write(world.engine)
    await until('events to be stored twice', () => world.broker.stored.filter(({ id }) => id === ids[0]).length >= 2)
    world.broker.set('up')
    await isStored(world.broker, ids)
    assert.deepEqual(new Set(world.broker.stored.map(({ id }) => id)), new Set(ids))
  })

  test('what was published but not noted by a process that died is published again by the next', async () => {
    const world = openWorld()
    const dying = { ...world.engine, sinkPositions: { ...world.engine.sinkPositions, advance: () => never() } }
    const first = startWorker({ ...world, engine: dying })
    await isClaimed(first)
    const ids = await write(world.engine)
    await isStored(world.broker, ids.slice(0, 1))
    world.broker.stored.length = 0
    world.advance(seconds(15))
    await using _second = startWorker(world, 'two')
    await isStored(world.broker, ids)
  })

  test('a process that was replaced publishes nothing more', async () => {
    const world = openWorld()
    await using first = startWorker(world)
    await isClaimed(first)
    world.advance(seconds(15))
    await using second = startWorker(world, 'two')
    await isClaimed(second)
    const ids = await write(world.engine)
    await isStored(world.broker, ids)
    await until('the first to give up', () => first.worker.position === undefined)
    world.broker.stored.length = 0
    const more = await write(world.engine)
    await isStored(world.broker, more)
    assert.deepEqual(
      world.broker.stored.map(({ id }) => id),
      more,
    )
  })
})

const never = (): Promise<boolean> => new Promise(() => undefined)
