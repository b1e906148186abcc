import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { until } from '../../../test/support/until.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { REFUSALS } from '../../flows/errors.ts'
import { limitLargeBodies } from './large-bodies.ts'
import { toRefusal } from './problem.ts'
import { TenantMemoryBudget } from './tenant-memory-budget.ts'

const MEGABYTE = 1024 * 1024

test('refuses large bodies over the budget, never small ones, and releases memory however a call ends', async () => {
  await using world = await openWorld(6 * 1024)
  const first = world.begin(2 * MEGABYTE)
  await until('the first to be let in', () => world.entered() === 1)
  assert.equal(await world.begin(2 * MEGABYTE).status, 429)
  assert.equal(await world.send(1000), 200)

  first.finish()
  assert.equal(await first.status, 200)
  const second = world.begin(2 * MEGABYTE)
  await until('the second to be let in', () => world.entered() === 3)
  second.breakOff()
  await until('its memory to be free', async () => (await world.send(2 * MEGABYTE)) === 200)
})

test('times out a slow large body and releases its memory', async () => {
  await using world = await openWorld(4 * 1024, () => 50)
  assert.equal(await world.begin(2 * MEGABYTE).status, 408)
  assert.equal(world.entered(), 1)
  const small = world.begin(1000)
  await until('the memory to be free', async () => (await world.send(2 * MEGABYTE)) === 200)
  small.finish()
  assert.equal(await small.status, 200)
})

test('reserves nothing for a caller that has disconnected', async () => {
  const { promise: authenticated, resolve: answer } = Promise.withResolvers<void>()
  await using world = await openWorld(4 * 1024, undefined, authenticated)
  const early = world.begin(2 * MEGABYTE)
  await until('it to be authenticated for', () => world.calls() === 1)
  early.breakOff()
  await until('it to have left', () => world.calls() === 0)
  answer()
  assert.equal(await world.send(2 * MEGABYTE), 200)
})

async function openWorld(kilobytes: number, toTimeout?: (bytes: number) => number, authenticated?: Promise<void>) {
  let entered = 0
  const requests = new Set<unknown>()
  const app = Fastify({ bodyLimit: 4 * MEGABYTE, forceCloseConnections: true })
  app.setErrorHandler((error, _request, reply) => reply.code(REFUSALS[toRefusal(error).code].status).send())
  app.addHook('onRequest', async (request) => {
    requests.add(request.raw)
    request.raw.once('close', () => requests.delete(request.raw))
    await authenticated
    request.caller = { tenantId: 'acme' } as Caller
  })
  app.addHook('onRoute', limitLargeBodies(new TenantMemoryBudget(kilobytes), toTimeout))
  const count = async (): Promise<void> => {
    entered += 1
  }
  app.post('/', { bodyLimit: 4 * MEGABYTE, preParsing: count }, async () => 'taken')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo

  /** A call whose body is not complete yet. */
  const begin = (bytes: number) => {
    const { promise: status, resolve } = Promise.withResolvers<number>()
    const headers = { 'content-type': 'text/plain', 'content-length': bytes }
    const call = request({ port, host: '127.0.0.1', method: 'POST', headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    call.on('error', () => resolve(0))
    call.write('x')
    return { status, finish: () => call.end('x'.repeat(bytes - 1)), breakOff: () => call.destroy() }
  }
  const send = (bytes: number): Promise<number> => {
    const call = begin(bytes)
    call.finish()
    return call.status
  }
  return { begin, send, entered: () => entered, calls: () => requests.size, [Symbol.asyncDispose]: () => app.close() }
}
