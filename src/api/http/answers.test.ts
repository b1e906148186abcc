import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import pino from 'pino'
import { until } from '../../../test/support/until.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { tenantIn } from '../../domain/access/test-mode.ts'
import type { TenantId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { type AnswerOptions, admitReads } from './answers.ts'
import { startRequestWith } from './context.ts'
import { problemWriter } from './problem.ts'
import { TenantMemoryBudget } from './tenant-memory-budget.ts'

/** More than a connection buffers for a caller that does not read. */
const LARGE = Buffer.alloc(24 * 1024 * 1024)

/** Room for one list of a tenant, for two in all, and for little else: what is not released is missed at once. */
const tight = () => ({ memory: new TenantMemoryBudget(2.5 * 1024) })

test('lists of one tenant run one after the other, and those of another start at once', async () => {
  await using world = await openWorld()
  const testMode = tenantIn('test', 'ana' as TenantId)
  const reads = [await world.begin('ana'), await world.begin('ana'), await world.begin(testMode)]
  assert.ok((await world.begin('eva')).isRunning())
  for (const read of reads) {
    await until('its turn', read.isRunning)
    assert.equal(world.running(), 2)
    assert.equal(await read.end(), 200)
  }
})

test('a tenant has as many lists at once as it may have, and all tenants together eight', async () => {
  await using world = await openWorld({ listsPerTenant: 3 })
  const [first] = [await world.begin('ana'), await world.begin('ana'), await world.begin('ana')]
  const next = await world.begin('ana')
  for (const tenant of ['b', 'c', 'd', 'e', 'f']) assert.ok((await world.begin(tenant)).isRunning())
  const ninth = await world.begin('g')
  assert.equal(world.running(), 8)
  await first.end()
  await until('the next in turn', ninth.isRunning)
  assert.ok(!next.isRunning())
})

test('only lists wait for lists: neither single things, streams, writes nor calls without a caller', async () => {
  await using world = await openWorld(tight())
  const [, list] = [await world.begin('ana'), await world.begin('eva')]
  for (const path of ['/things/1', '/stream', '/stream', '/write', '/write']) await world.begin('ana', path)
  for (let n = 0; n < 10; n += 1) await world.begin()
  assert.equal(world.running(), 17)
  for (const path of ['/list', '/write-much']) assert.ok(!(await world.begin('ana', path)).isRunning())
  assert.equal(await (await world.begin('ivo')).status(), 503)
  await list.end()
  assert.ok((await world.begin('ivo')).isRunning())
})

test('two batches of a tenant run at once, and each counts until its answer is read', async () => {
  await using world = await openWorld({ memory: new TenantMemoryBudget((2 * LARGE.length) / 1024) })
  const write = (tenant = 'ana') => world.begin(tenant, '/write-batch')
  const [first, second, third] = [await write(), await write(), await write()]
  assert.deepEqual([second.isRunning(), third.isRunning(), (await write('eva')).isRunning()], [true, false, true])
  await second.end()
  await until('the third to run', () => third.isRunning())
  first.run().answer(LARGE)
  await first.response
  await assertRefused(await write(), 429, 'TOO_MANY_REQUESTS')
  await first.status()
  assert.ok((await write()).isRunning())
})

test('a read without room is 503, or 429 if the share of its tenant is used up, both with Retry-After', async () => {
  await using world = await openWorld({ listsPerTenant: 2, memory: new TenantMemoryBudget(3 * 1024) })
  const reads = [await world.begin('ana')]
  for (let n = 0; n < 5; n += 1) await assertRefused(await world.begin('ana'), 429, 'TOO_MANY_REQUESTS')
  reads.push(await world.begin('eva'), await world.begin('ivo'))
  for (let n = 0; n < 5; n += 1) await assertRefused(await world.begin('uma'), 503, 'UNAVAILABLE')
  for (const read of reads) await read.end()
  for (const tenant of ['ana', 'uma']) assert.ok((await world.begin(tenant)).isRunning())
})

test('a read that gets no turn within ten seconds is 429, and takes none later', async (t) => {
  await using world = await openWorld()
  const read = await world.begin('ana')
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const late = await world.begin('ana')
  t.mock.timers.tick(10_000)
  await assertRefused(late, 429, 'TOO_MANY_REQUESTS')
  await read.end()
  assert.ok((await world.begin('ana')).isRunning())
})

test('however an answer ends, its turn and its memory are free', async () => {
  await using world = await openWorld(tight())
  const ways: readonly (readonly [status: number, method: string, how: How])[] = [
    [200, 'GET', ({ answer }) => answer({ rows: [] })],
    [500, 'GET', ({ fail }) => fail(new Error('the store is broken'))],
    [500, 'GET', ({ answer }) => answer({ cannotBeSerialized: 1n })],
    [200, 'HEAD', ({ answer }) => answer('rows')],
    [204, 'GET', ({ answer, reply }) => answer(reply.code(204).send())],
    [304, 'GET', ({ answer, reply }) => answer(reply.code(304).send())],
  ]
  for (const [status, method, how] of [...ways, ...ways]) {
    assert.equal(await (await world.begin('ana', '/list', method)).end(how), status)
  }
})

test('a caller that disconnects while it waits for its turn takes none', async () => {
  await using world = await openWorld(tight())
  const first = await world.begin('ana')
  for (let n = 0; n < 5; n += 1) await (await world.begin('ana')).leave()
  const last = await world.begin('ana')
  await first.end()
  await until('the last to run', last.isRunning)
  assert.equal(world.running(), 1)
})

test('a caller that disconnects while its list runs keeps turn and memory until the answer is made', async () => {
  await using world = await openWorld(tight())
  await world.begin('eva')
  const ways: readonly How[] = [
    ({ answer }) => answer('rows'),
    ({ answer }) => answer(LARGE),
    ({ fail }) => fail(new Error('the store is broken')),
    ({ answer, reply }) => answer(reply.code(204).send()),
  ]
  for (const how of [...ways, ...ways]) {
    const gone = await world.begin('ana')
    await gone.leave()
    const next = await world.begin('ana')
    assert.ok(!next.isRunning())
    assert.equal(await (await world.begin('ivo')).status(), 503)
    how(gone.run())
    await until('the next to run', next.isRunning)
    assert.equal(await next.end(), 200)
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

test('a streamed answer that is not read is cut off, and its memory is free', async () => {
  await using world = await openWorld({ ...tight(), stallMillis: 50 })
  const read = await world.begin('ana')
  read.run().answer(Readable.from(endless()))
  await read.response
  await once(read.raw, 'close')
  assert.ok((await world.begin('ana')).isRunning())
})

test('a streamed answer that has nothing to send for a while goes on', async () => {
  await using world = await openWorld({ stallMillis: 20 })
  const [read, rest] = [await world.begin('ana'), Promise.withResolvers<string>()]
  read.run().answer(Readable.from(inTwoParts(rest.promise)))
  await once(read.raw, 'timeout')
  rest.resolve('the rest')
  assert.equal(await text(await read.response), 'the first part, the rest')
})

test('a long text arrives whole', async () => {
  await using world = await openWorld()
  const read = await world.begin('ana')
  read.run().answer('ação '.repeat(100_000))
  assert.equal(await text(await read.response), 'ação '.repeat(100_000))
})

function* endless(): Generator<Buffer> {
  for (;;) yield LARGE
}

async function* inTwoParts(rest: Promise<string>): AsyncGenerator<string> {
  yield 'the first part, '
  yield await rest
}

async function assertRefused({ response }: Read, status: number, code: string): Promise<void> {
  const answer = await response
  assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [status, '1'])
  assert.equal(JSON.parse(await text(answer)).error_code, code)
}

/** A handler that runs until it is told how to end. */
type Run = Readonly<{ reply: FastifyReply; answer: (answer: unknown) => void; fail: (error: Error) => void }>
type How = (run: Run) => void
type Read = Awaited<ReturnType<Awaited<ReturnType<typeof openWorld>>['begin']>>

async function openWorld(options: AnswerOptions = {}) {
  const runs = new Map<ServerResponse, Run>()
  const app = Fastify({ forceCloseConnections: true }).withTypeProvider<TypeBoxTypeProvider>()
  app.setErrorHandler(problemWriter({ start: startRequestWith(openIds()), logger: pino({ enabled: false }) }))
  app.addHook('onRequest', (incoming, _reply, done) => {
    const { 'x-tenant': tenantId } = incoming.headers
    if (tenantId !== undefined) incoming.caller = { tenantId, actor: { kind: 'token' } } as Caller
    done()
  })
  app.addHook('onRoute', admitReads(app, options))
  const handle = (_request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { promise, resolve: answer, reject: fail } = Promise.withResolvers<unknown>()
    runs.set(reply.raw, { reply, answer, fail })
    return promise.finally(() => runs.delete(reply.raw))
  }
  for (const path of ['/list', '/things/:id']) app.get(path, handle)
  app.get('/stream', { config: { answer: 'stream' } }, handle)
  app.post('/write', handle)
  app.post('/write-much', { config: { answer: 'list' } }, handle)
  app.post('/write-batch', { config: { answer: 'batch' } }, handle)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo

  /** A call that runs, waits for its turn, or has been refused. */
  const begin = async (tenant?: string, path = '/list', method = path.startsWith('/write') ? 'POST' : 'GET') => {
    const headers = { 'content-length': 0, ...(tenant === undefined ? {} : { 'x-tenant': tenant }) }
    const call = request({ port, host: '127.0.0.1', path, method, headers, agent: false })
    const response = new Promise<IncomingMessage>((resolve) => call.on('response', resolve))
    call.on('error', () => undefined).end()
    const { raw, closed } = await new Promise<{ raw: ServerResponse; closed: Promise<unknown> }>((resolve) =>
      app.server.once('request', (_incoming, raw) => resolve({ raw, closed: once(raw, 'close') })),
    )
    const run = (): Run => runs.get(raw) ?? assert.fail('not running')
    const status = async (): Promise<number | undefined> => {
      const { statusCode } = (await response).resume()
      await closed
      return statusCode
    }
    const end = (how: How = ({ answer }) => answer('rows')): Promise<number | undefined> => {
      how(run())
      return status()
    }
    const leave = async (): Promise<void> => {
      call.destroy()
      await closed
    }
    return { raw, response, isRunning: () => runs.has(raw), run, status, end, leave }
  }
  return { begin, running: () => runs.size, [Symbol.asyncDispose]: () => app.close() }
}
