/** Circuit breakers of several processes on one broker, and during its outages. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type EngineOptions, openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openNats, openOwnNats } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import { BREAKER, CLOSED, FREE } from '../../domain/routing/breaker.ts'
import { later, millis } from '../../lib/time.ts'
import { breakerPausesContract } from '../../ports/breaker-pauses.contract.ts'
import { breakersContract } from '../../ports/breakers.contract.ts'
import type { Breakers } from '../../ports/breakers.ts'
import { ACME, NOON } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openNats as connect } from './connection.ts'

const broker = await openNats()
const brokers = await openOwnNats({ nodes: 3 })
after(() => Promise.all([broker[Symbol.asyncDispose](), brokers[Symbol.asyncDispose]()]))

/** The breakers of a process of its own. */
async function open(options: EngineOptions): Promise<Breakers & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const engine = opened.use(await openEngine(options))
  const breakers = opened.use(await engine.openBreakers())
  const closing = opened.move()
  return {
    ask: (...asked) => breakers.ask(...asked),
    report: (...args) => breakers.report(...args),
    force: (...forced) => breakers.force(...forced),
    states: () => breakers.states(),
    watch: (listener) => breakers.watch(listener),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

async function openTwo(options: EngineOptions) {
  const shared = { ...options, prefix: newPrefix() }
  await using opened = new AsyncDisposableStack()
  const [one, other] = [opened.use(await open(shared)), opened.use(await open(shared))]
  const closing = opened.move()
  return { one, other, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

breakersContract('nats', () => openTwo(broker))
breakersContract('three brokers', () => openTwo({ ...brokers, replicas: 3 }))

breakerPausesContract('nats', async () => {
  const shared = { ...broker, prefix: newPrefix() }
  return { open: () => open(shared), async [Symbol.asyncDispose]() {} }
})

const DUE = later(NOON, BREAKER.pause)
const kindOf = (breakers: Breakers): string | undefined => breakers.states().get(ACME)?.kind

function fail(breakers: Breakers, times: number): void {
  for (let n = 0; n < times; n += 1) breakers.report(ACME, FREE, 'failed', NOON)
}

describe('breakers on a broker', { timeout: 120_000 }, () => {
  test('are known to processes that start later, and survive a restart of the broker', async () => {
    await using victim = await openOwnNats()
    const prefix = newPrefix()
    await using early = await open({ ...victim, prefix })
    fail(early, 5)
    await until('it to be written', () => openOnce({ ...victim, prefix }, (late) => kindOf(late) === 'open'))
    await victim.faults.kill()
    await victim.faults.restart()
    const isOpen = await openOnce({ ...victim, prefix }, (late) => kindOf(late) === 'open')
    assert.ok(isOpen)
  })

  test('use the local state during an outage, and share it afterwards', async () => {
    await using victim = await openOwnNats()
    const prefix = newPrefix()
    await using one = await open({ ...victim, prefix })
    await using other = await open({ ...victim, prefix })
    await victim.faults.stop()
    fail(one, 5)
    assert.deepEqual(await one.ask(ACME, NOON), { kind: 'held', until: DUE })
    assert.deepEqual(await one.ask(ACME, DUE), { kind: 'trial', at: DUE })
    one.report(ACME, { kind: 'trial', at: DUE }, 'failed', DUE)
    await victim.faults.restart()
    await until('the others to know', () => kindOf(other) === 'open')
    const again = later(DUE, BREAKER.pause)
    assert.deepEqual(await other.ask(ACME, DUE), { kind: 'held', until: again })
  })

  test('cannot be forced during an outage: the caller gets an error, and nothing happens later', async () => {
    await using victim = await openOwnNats()
    const prefix = newPrefix()
    await using one = await open({ ...victim, prefix })
    await victim.faults.stop()
    fail(one, 1)
    await assert.rejects(one.force(ACME, 'open', NOON), Unavailable)
    assert.equal(one.ask(ACME, NOON), FREE)
    await victim.faults.restart()
    await until('the failure to be written', () =>
      openOnce({ ...victim, prefix }, (late) => late.states().get(ACME)?.failures === 1),
    )
    assert.equal(kindOf(one), 'closed')
    await one.force(ACME, 'open', NOON)
    assert.equal(kindOf(one), 'open')
  })

  test('are closed when the stream is lost, and recreated by the next process that starts', async () => {
    const prefix = newPrefix()
    await using one = await open({ ...broker, prefix })
    fail(one, 5)
    await until('it to be written', () => openOnce({ ...broker, prefix }, (late) => kindOf(late) === 'open'))
    await using connection = await connect(broker)
    await connection.request(`$JS.API.STREAM.DELETE.${prefix}_BREAKERS`, '')
    assert.deepEqual(await one.ask(ACME, DUE), { kind: 'trial', at: DUE })
    await using next = await open({ ...broker, prefix })
    assert.equal(next.ask(ACME, NOON), FREE)
    one.report(ACME, { kind: 'trial', at: DUE }, 'answered', DUE)
    fail(next, 1)
    await until('the one to know', () => one.states().get(ACME)?.failures === 1)
    assert.equal(one.ask(ACME, DUE), FREE)
  })

  test('are closed when their state is unreadable', async () => {
    const prefix = newPrefix()
    await using one = await open({ ...broker, prefix })
    await using connection = await connect(broker)
    for (const nonsense of ['', '{', 'null', '{"kind":"ajar"}']) {
      fail(one, 1)
      await until('it to be written', () =>
        openOnce({ ...broker, prefix }, (late) => late.states().get(ACME)?.failures === 1),
      )
      await connection.request(`${prefix}.breaker.${ACME}`, nonsense)
      await until('it to be seen', () => one.states().get(ACME) === CLOSED)
    }
  })

  test('cost no write while calls succeed, and few while they fail now and then', async () => {
    const prefix = newPrefix()
    await using one = await open({ ...broker, prefix })
    await using connection = await connect(broker)
    const written = async (): Promise<number> => {
      const info = await connection.request(`$JS.API.STREAM.INFO.${prefix}_BREAKERS`, '')
      return info.json<{ state: { last_seq: number } }>().state.last_seq
    }
    for (let n = 0; n < 1_000; n += 1) {
      assert.equal(one.ask(ACME, later(NOON, millis(n))), FREE)
      one.report(ACME, FREE, 'answered', later(NOON, millis(n)))
    }
    assert.equal(await written(), 0)
    for (let n = 0; n < 1_000; n += 1) one.report(ACME, FREE, n % 3 === 0 ? 'failed' : 'answered', DUE)
    one.report(ACME, FREE, 'failed', DUE)
    await until('the last of it to be written', () =>
      openOnce({ ...broker, prefix }, (late) => (late.states().get(ACME)?.failures ?? 0) > 0),
    )
    assert.ok((await written()) < 10)
  })
})

async function openOnce(options: EngineOptions, look: (breakers: Breakers) => boolean): Promise<boolean> {
  await using breakers = await open(options)
  return look(breakers)
}
