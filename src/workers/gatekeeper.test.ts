import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import type { ProviderName, RouteId } from '../domain/ids.ts'
import { CLOSED } from '../domain/routing/breaker.ts'
import { ProviderSlots } from '../domain/routing/provider-slots.ts'
import { Rechecks } from '../domain/routing/rechecks.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { inProcessBreakers } from '../engines/shared/in-process-breakers.ts'
import { ACCEPTS, CONTENT, DEFERS, fakeProvider, openGateway, START } from '../flows/gateway.fixture.ts'
import { dispatch } from '../flows/send/dispatch.ts'
import type { Routes } from '../flows/send/find-route.ts'
import { later, millis, seconds } from '../lib/time.ts'
import type { Disposition } from '../ports/queue.ts'
import { Gatekeeper, LOOK_EVERY_MS } from './gatekeeper.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const [ONE, TWO] = ['one' as ProviderName, 'two' as ProviderName]

/** A gateway with one provider, whose connections and breaker the test controls. */
function open({ answers = Array(500).fill(ACCEPTS), size = 4 } = {}) {
  const connections = { wanted: 1, up: 1 }
  const one = { ...fakeProvider(answers, { name: ONE }), connections: () => connections }
  const two = fakeProvider(Array(500).fill(ACCEPTS), { name: TWO })
  const [slots, breakers] = [new ProviderSlots({ size }), inProcessBreakers()]
  const route = { to: ONE }
  const rules = { id: 'r' as RouteId, channel: 'sms', unknown: { wait: seconds(30), policy: 'hold' } } as const
  const routes: Routes = { of: () => [{ ...rules, providers: [route.to] }] }
  const gateway = openGateway(world, {
    providers: [one, two],
    deps: { slots, breakers, routes, rechecks: new Rechecks() },
  })
  const keeper = new Gatekeeper({ ...gateway.deps, slots })

  /** Takes a job and processes it as the worker loop does. */
  async function work(): Promise<Disposition | undefined> {
    const taken = await gateway.take()
    if (taken === undefined) return undefined
    const disposition = await keeper.watch(taken, () => dispatch(gateway.deps, taken))
    if (disposition.kind === 'later') await gateway.queue.release(taken, disposition.at)
    if (disposition.kind === 'parked') await gateway.queue.park(taken, disposition.gate, disposition.until)
    return disposition
  }
  async function workAll(): Promise<number> {
    let count = 0
    while ((await work()) !== undefined) count += 1
    return count
  }
  async function park(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth += 1) await gateway.submit()
    assert.equal(await workAll(), count)
    assert.equal(await parked(), count)
  }
  const depth = async () => (await gateway.queue.depth()).find(({ lane }) => lane === 'transactional')
  const parked = async () => (await depth())?.parked
  const look = async (): Promise<void> => {
    gateway.pass(millis(LOOK_EVERY_MS))
    await keeper.look()
  }
  return {
    ...gateway,
    keeper,
    one,
    two,
    route,
    slots,
    breakers,
    connections,
    work,
    workAll,
    park,
    parked,
    depth,
    look,
  }
}

test('nothing is unparked while the provider cannot be called, however long that lasts', async () => {
  const { connections, park, look, workAll, one, parked } = open()
  connections.up = 0
  await park(20)
  for (let nth = 0; nth < 40; nth += 1) {
    await look()
    assert.equal(await workAll(), 0)
  }
  assert.deepEqual([await parked(), one.calls.length], [20, 0])
})

test('when the connection is back all jobs are unparked, a few at first, and no faster than workers take them', async () => {
  const { connections, park, look, workAll, one, parked, depth } = open()
  connections.up = 0
  await park(60)
  connections.up = 1
  await look()
  assert.equal((await depth())?.ready, 4)
  await look()
  assert.equal((await depth())?.ready, 4)
  const portions: number[] = []
  while ((await parked()) !== 0) {
    portions.push(await workAll())
    await look()
  }
  portions.push(await workAll())
  assert.deepEqual(portions, [4, 16, 40])
  assert.equal(one.calls.length, 60)
})

test('a job parked just after the gate opened is found soon', async () => {
  const { connections, park, look, workAll, parked } = open()
  await look()
  connections.up = 0
  await park(1)
  connections.up = 1
  for (let nth = 0; nth <= 20; nth += 1) await look()
  assert.deepEqual([await workAll(), await parked()], [1, 0])
})

test('unparks no more jobs while others find no slot', async () => {
  const { connections, park, look, workAll, parked, slots, one, clock } = open()
  connections.up = 0
  await park(40)
  connections.up = 1
  await look()
  await workAll()
  for (let nth = 0; nth < 8; nth += 1) {
    slots.refuse(one.name, clock())
    await look()
  }
  assert.equal(await parked(), 36)
  await look()
  assert.equal(await parked(), 32)
})

test('unparks one job for the trial of a breaker, and the rest once it has closed', async () => {
  const { park, look, workAll, parked, breakers, one } = open({
    answers: [...Array(1).fill(DEFERS), ...Array(50).fill(ACCEPTS)],
  })
  for (let failure = 0; failure < 5; failure += 1) breakers.report(ONE, { kind: 'free' }, 'failed', START)
  await park(10)
  for (let nth = 0; nth < 119; nth += 1) await look()
  assert.equal(await parked(), 10)
  await look()
  assert.equal(await parked(), 9)
  await workAll()
  assert.deepEqual([one.calls.length, breakers.states().get(ONE)?.kind], [1, 'open'])
  for (let nth = 0; nth < 119; nth += 1) await look()
  assert.equal(await parked(), 9)
  await look()
  await workAll()
  assert.deepEqual([one.calls.length, breakers.states().get(ONE)], [3, CLOSED])
  for (let nth = 0; nth < 4; nth += 1) {
    await look()
    await workAll()
  }
  assert.deepEqual([await parked(), one.calls.length], [0, 11])
})

test('a trial with nothing to send is followed by another one', async () => {
  const { park, look, work, workAll, parked, breakers, one, take, queue } = open()
  for (let failure = 0; failure < 5; failure += 1) breakers.report(ONE, { kind: 'free' }, 'failed', START)
  await park(3)
  for (let nth = 0; nth < 120; nth += 1) await look()
  const lost = await take()
  assert.ok(lost !== undefined)
  await queue.done(lost)
  assert.equal(await work(), undefined)
  for (let nth = 0; nth < 4; nth += 1) await look()
  assert.equal(await workAll(), 1)
  assert.deepEqual([one.calls.length, await parked()], [1, 1])
})

test('when a tenant gets another route, the first job that finds it unparks the others', async () => {
  const { connections, park, look, workAll, parked, two, route, pass } = open()
  connections.up = 0
  await park(400)
  route.to = TWO
  for (let nth = 0; nth < 8; nth += 1) await look()
  assert.equal(await workAll(), 0)
  pass(seconds(58))
  let looks = 0
  for (; looks < 40 && (await parked()) !== 0; looks += 1) {
    await workAll()
    await look()
  }
  await workAll()
  assert.equal(two.calls.length, 400)
  // Without this, 25 jobs recheck per second, which is four rounds.
  assert.ok(looks <= 6, `${looks} looks`)
})

test('a message that expires while parked says nothing about the routes', async () => {
  const { connections, look, workAll, parked, submit, clock } = open()
  connections.up = 0
  await submit({ content: { ...CONTENT, expiresAt: later(clock(), seconds(2)) } })
  for (let nth = 0; nth < 9; nth += 1) await submit()
  assert.equal(await workAll(), 10)
  let count = 0
  for (let nth = 0; nth < 12; nth += 1) {
    await look()
    count += await workAll()
  }
  assert.deepEqual([count, await parked()], [1, 9])
})
