import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import pino from 'pino'
import { until } from '../../../test/support/until.ts'
import { tenantIn } from '../../domain/access/test-mode.ts'
import type { TenantId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { type AnswerOptions, admitReads } from './answers.ts'
import { type Caller, startRequestWith } from './context.ts'
import { problemWriter } from './problem.ts'
import { TenantMemoryBudget } from './tenant-memory-budget.ts'

/** More than a connection buffers for a caller that does not read. */
const LARGE = Buffer.alloc(24 * 1024 * 1024)
const LONG_TEXT = 'ação '.repeat(100_000)

/** Room for one list of a tenant, and for two in all: what is not released is missed at once. */
const tight = () => ({ memory: new TenantMemoryBudget(2 * 1024) })

test('lists of one tenant run one after the other, and those of another start at once', async () => {
  await using world = await openWorld()
  const testMode = tenantIn('test', 'ana' as TenantId)
  const reads = [await world.begin('ana'), await world.begin('ana'), await world.begin(testMode)]
  assert.ok((await world.begin('eva')).isRunning())
  for (const read of reads) {
    await until('its turn', read.isRunning)
    assert.equal(world.running(), 2)
    read.run().answer('rows')
    assert.equal(await read.status(), 200)
  }
})

test('a tenant has as many lists at once as it may have, and all tenants together eight', async () => {
  await using world = await openWorld({ listsPerTenant: 3 })
  const [first] = [await world.begin('ana'), await world.begin('ana'), await world.begin('ana')]
  const next = await world.begin('ana')
  for (const tenant of ['b', 'c', 'd', 'e', 'f']) assert.ok((await world.begin(tenant)).isRunning())
  const ninth = await world.begin('g')
  assert.equal(world.running(), 8)
  first.run().answer('rows')
  await until('the next in turn', ninth.isRunning)
  assert.ok(!next.isRunning())
})

test('only lists wait for lists: neither single things, streams, writes nor calls without a caller', async () => {
  await using world = await openWorld(tight())
  const [, list] = [await world.begin('ana'), await world.begin('eva')]
  for (const path of ['/stream', '/stream', '/write', '/write']) await world.begin('ana', path)
  for (let n = 0; n < 10; n += 1) await world.begin()
  assert.equal(world.running(), 16)
  for (const path of ['/list', '/write-much']) assert.ok(!(await world.begin('ana', path)).isRunning())
  const thing = await world.begin('ivo', '/things/1')
  assert.equal(await thing.status(), 503)
  list.run().answer('rows')
  assert.equal(await list.status(), 200)
  assert.ok((await world.begin('ivo', '/things/1')).isRunning())
})

test('a read without room is 503, or 429 if the share of its tenant is used up, both with Retry-After', async () => {
  await using world = await openWorld({ listsPerTenant: 2, memory: new TenantMemoryBudget(3 * 1024) })
  const reads = [await world.begin('ana')]
  for (let n = 0; n < 5; n += 1) await assertRefused(await world.begin('ana'), 429, 'TOO_MANY_REQUESTS')
  reads.push(await world.begin('eva'), await world.begin('ivo'))
  for (let n = 0; n < 5; n += 1) await assertRefused(await world.begin('uma'), 503, 'UNAVAILABLE')
  for (const read of reads) {
    read.run().answer('rows')
    await read.status()
  }
  for (const tenant of ['ana', 'uma']) assert.ok((await world.begin(tenant)).isRunning())
})

test('a read that gets no turn within ten seconds is 429, and takes none later', async (t) => {
  await using world = await openWorld()
  const read = await world.begin('ana')
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const late = await world.begin('ana')
  t.mock.timers.tick(10_000)
  await assertRefused(late, 429, 'TOO_MANY_REQUESTS')
  read.run().answer('rows')
  assert.equal(await read.status(), 200)
  assert.ok((await world.begin('ana')).isRunning())
})

test('however an answer ends, its turn and its memory are free', async () => {
  await using world = await openWorld(tight())
  const ways: readonly (readonly [status: number, method: string, end: (run: Run) => void])[] = [
    [200, 'GET', ({ answer }) => answer({ rows: [] })],
    [200, 'GET', ({ answer }) => answer(LONG_TEXT)],
    [500, 'GET', ({ fail }) => fail(new Error('the store is broken'))],
    [500, 'GET', ({ answer }) => answer({ cannotBeSerialized: 1n })],
    [200, 'HEAD', ({ answer }) => answer('rows')],
    [204, 'GET', ({ answer, reply }) => answer(reply.code(204).send())],
    [304, 'GET', ({ answer, reply }) => answer(reply.code(304).send())],
  ]
  for (const [status, method, end] of [...ways, ...ways]) {
    const read = await world.begin('ana', '/list', method)
    end(read.run())
    assert.equal(await read.status(), status)
  }
})

test('a caller that disconnects while it waits for its turn takes none', async () => {
  await using world = await openWorld(tight())
  const first = await world.begin('ana')
  for (let n = 0; n < 5; n += 1) await (await world.begin('ana')).leave()
  const last = await world.begin('ana')
  first.run().answer('rows')
  await until('the last to run', last.isRunning)
  assert.equal(world.running(), 1)
})

test('a caller that disconnects while its list runs keeps its turn until the answer is made', async () => {
  await using world = await openWorld(tight())
  const ways: readonly ((run: Run) => void)[] = [
    ({ answer }) => answer('rows'),
    ({ answer }) => answer(LARGE),
    ({ fail }) => fail(new Error('the store is broken')),
    ({ answer, reply }) => answer(reply.code(204).send()),
  ]
  for (const end of [...ways, ...ways]) {
    const gone = await world.begin('ana')
    await gone.leave()
    const next = await world.begin('ana')
    assert.ok(!next.isRunning())
    end(gone.run())
    await until('the next to run', next.isRunning)
    next.run().answer('rows')
    assert.equal(await next.status(), 200)
  }
})

test('a large answer counts with its true size until it is read or its caller disconnects', async () => {
  await using world = await openWorld({ memory: new TenantMemoryBudget((2 * LARGE.length) / 1024) })
  for (const end of ['status', 'leave', 'status', 'leave'] as const) {
    const read = await world.begin('ana')
    read.run().answer(LARGE)
    await read.response
    await assertRefused(await world.begin('ana'), 429, 'TOO_MANY_REQUESTS')
    await read[end]()
  }
  assert.ok((await world.begin('ana')).isRunning())
})

test('a large answer that is not read within half a minute is cut off', async (t) => {
  await using world = await openWorld()
  const read = await world.begin('ana')
  t.mock.timers.enable({ apis: ['setTimeout'] })
  read.run().answer(LARGE)
  await read.response
  t.mock.timers.tick(29_999)
  assert.ok(!read.raw.destroyed)
  t.mock.timers.tick(1)
  assert.ok(read.raw.destroyed)
})

test('a long text arrives whole', async () => {
  await using world = await openWorld()
  const read = await world.begin('ana')
  read.run().answer(LONG_TEXT)
  assert.equal(await text(await read.response), LONG_TEXT)
})

async function assertRefused({ response }: Read, status: number, code: string): Promise<void> {
  const answer = await response
  assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [status, '1'])
  assert.equal(JSON.parse(await text(answer)).error_code, code)
}

/** A handler that runs until it is told how to end. */
type Run = Readonly<{ reply: FastifyReply; answer: (answer: unknown) => void; fail: (error: Error) => void }>
type Read = Awaited<ReturnType<Awaited<ReturnType<typeof openWorld>>['begin']>>

async function openWorld(options: AnswerOptions = {}) {
  const runs = new Map<ServerResponse, Run>()
  const app = Fastify({ forceCloseConnections: true }).withTypeProvider<TypeBoxTypeProvider>()
  app.setErrorHandler(problemWriter({ start: startRequestWith(openIds()), logger: pino({ enabled: false }) }))
  app.addHook('onRequest', (incoming, _reply, done) => {
    const { 'x-tenant': tenantId } = incoming.headers
    if (tenantId !== undefined) incoming.caller = { tenantId } as Caller
    done()
  })
  app.addHook('onRoute', admitReads(app, options))
  const handle = (_request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { promise, resolve: answer, reject: fail } = Promise.withResolvers<unknown>()
    runs.set(reply.raw, { reply, answer, fail })
    const over = (): boolean => runs.delete(reply.raw)
    return promise.finally(over)
  }
  for (const path of ['/list', '/things/:id']) app.get(path, handle)
  app.get('/stream', { config: { answer: 'stream' } }, handle)
  app.post('/write', handle)
  app.post('/write-much', { config: { answer: 'list' } }, handle)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo

  /** A call that has been admitted, has been refused or is waiting for its turn. */
  const begin = async (tenant?: string, path = '/list', method = path.startsWith('/write') ? 'POST' : 'GET') => {
    const headers = tenant === undefined ? {} : { 'x-tenant': tenant }
    const call = request({ port, host: '127.0.0.1', path, method, headers, agent: false })
    const response = new Promise<IncomingMessage>((resolve) => call.on('response', resolve))
    call.on('error', () => undefined).end()
    const [, raw] = (await once(app.server, 'request')) as [IncomingMessage, ServerResponse]
    const closed = once(raw, 'close')
    return {
      raw,
      response,
      isRunning: () => runs.has(raw),
      run: (): Run => runs.get(raw) ?? assert.fail('not running'),
      leave: async () => {
        call.destroy()
        await closed
      },
      status: async () => {
        const { statusCode } = (await response).resume()
        await closed
        return statusCode
      },
    }
  }
  return { begin, running: () => runs.size, [Symbol.asyncDispose]: () => app.close() }
}
