import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import pino from 'pino'
import type { Caller } from '../../domain/access/caller.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { instant, later, type Millis, millis } from '../../lib/time.ts'
import { startRequestWith } from './context.ts'
import { problemWriter } from './problem.ts'
import { throttleTenants } from './throttle.ts'

test('a tenant may call as often as the bucket has tokens, and is refused after that', async () => {
  await using world = await openWorld({ perSecond: 2, capacity: 3 })
  for (let n = 0; n < 3; n += 1) assert.equal((await world.call('ana')).statusCode, 200)
  const refused = await world.call('ana')
  assert.equal(refused.statusCode, 429)
  assert.equal(refused.json().error_code, 'RATE_LIMITED')
  assert.equal(refused.json().detail, 'More than 2 previews a second')
  assert.equal(refused.headers['retry-after'], '1')
})

test('one tenant does not use up the tokens of another', async () => {
  await using world = await openWorld({ perSecond: 1, capacity: 1 })
  for (const tenant of ['ana', 'eva', 'ivo']) {
    assert.equal((await world.call(tenant)).statusCode, 200)
    assert.equal((await world.call(tenant)).statusCode, 429)
  }
})

test('the bucket fills up with time, to its capacity and no further', async () => {
  await using world = await openWorld({ perSecond: 2, capacity: 3 })
  const admitted = async (): Promise<number> => {
    for (let count = 0; ; count += 1) if ((await world.call('ana')).statusCode !== 200) return count
  }
  assert.equal(await admitted(), 3)
  world.pass(millis(499))
  assert.equal(await admitted(), 0)
  world.pass(millis(1))
  assert.equal(await admitted(), 1)
  world.pass(millis(1_000))
  assert.equal(await admitted(), 2)
  world.pass(millis(3_600_000))
  assert.equal(await admitted(), 3)
})

test('whoever waits as long as Retry-After says is admitted, and a refused call costs nothing', async () => {
  await using world = await openWorld({ perSecond: 0.25, capacity: 1 })
  assert.equal((await world.call('ana')).statusCode, 200)
  for (const left of [4, 3, 2, 1]) {
    for (let n = 0; n < 3; n += 1) assert.equal((await world.call('ana')).headers['retry-after'], String(left))
    world.pass(millis(1_000))
  }
  assert.equal((await world.call('ana')).statusCode, 200)
})

test('refuses before the body is read', async () => {
  await using world = await openWorld({ perSecond: 1, capacity: 1 })
  await world.call('ana')
  await world.call('ana')
  assert.equal(world.parsed(), 1)
})

async function openWorld(rule: Readonly<{ perSecond: number; capacity: number }>) {
  let now = instant(Date.parse('2030-01-31T12:00:00Z'))
  let parsed = 0
  const app = Fastify()
  app.setErrorHandler(problemWriter({ start: startRequestWith(openIds()), logger: pino({ enabled: false }) }))
  app.addHook('onRequest', async (request) => {
    request.caller = { tenantId: request.headers['x-tenant'], actor: { kind: 'token' } } as Caller
  })
  app.addHook('preParsing', async () => {
    parsed += 1
  })
  app.post('/', { onRequest: throttleTenants({ ...rule, what: 'previews' }, () => now) }, async () => 'taken')
  return {
    call: (tenant: string) =>
      app.inject({ method: 'POST', url: '/', payload: { a: 1 }, headers: { 'x-tenant': tenant } }),
    pass: (by: Millis) => {
      now = later(now, by)
    },
    parsed: () => parsed,
    [Symbol.asyncDispose]: () => app.close(),
  }
}
