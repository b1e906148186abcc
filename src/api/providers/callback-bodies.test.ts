import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { REFUSALS } from '../../flows/errors.ts'
import { toRefusal } from '../http/problem.ts'
import { openStrangersBodies, type StrangersBodiesOptions } from './callback-bodies.ts'

const KILOBYTE = 1024
const SMALL = 4 * KILOBYTE
const MAX_BYTES = 64 * KILOBYTE
const LARGE = 60 * KILOBYTE
/** Room for one large body. */
const ROOM = { kilobytes: 100 }

test('a body arrives whole, in however many pieces, up to the maximum', async () => {
  await using world = await openWorld()
  for (const bytes of [0, 1, SMALL, SMALL + 1, MAX_BYTES]) {
    assert.equal(await world.send(bytes).answer, `200 ${'x'.repeat(bytes)}`)
  }
  const call = world.begin()
  for (let n = 1; n <= 10; n += 1) {
    call.write(String(n % 10).repeat(KILOBYTE))
    await until('the piece to arrive', () => call.arrived() === n * KILOBYTE)
  }
  call.end()
  assert.equal(await call.answer, `200 ${[...'1234567890'].map((digit) => digit.repeat(KILOBYTE)).join('')}`)
})

test('a body over the maximum is 413, and is not in memory while that is answered', async () => {
  await using world = await openWorld(ROOM)
  assert.equal(await world.send(10 * MAX_BYTES).answer, '413 ')
  const refused = [world.send(MAX_BYTES + 1, 'hold'), world.send(MAX_BYTES + 1, 'hold')]
  await until('them to be refused', () => world.failed() === 3)
  await world.assertFree()
  world.answerHeld()
  for (const { answer } of refused) assert.equal(await answer, '413 ')
})

test('large bodies together get so much memory until they are answered, and the next is 503', async () => {
  await using world = await openWorld(ROOM)
  const held = world.send(LARGE, 'hold')
  await until('it to be held', world.isHolding)
  for (let n = 0; n < 10; n += 1) assert.equal(await world.send(LARGE).answer, '503 ')
  world.answerHeld()
  assert.match(await held.answer, /^200 x/)
  await world.assertFree()
})

test('a body counts as it arrives', async () => {
  await using world = await openWorld(ROOM)
  const slow = world.begin()
  for (let arrived = 10 * KILOBYTE; arrived <= LARGE; arrived += 10 * KILOBYTE) {
    slow.write('x'.repeat(10 * KILOBYTE))
    await until('the piece to arrive', () => slow.arrived() === arrived)
  }
  assert.equal(await world.send(LARGE).answer, '503 ')
  slow.end()
  assert.match(await slow.answer, /^200 x/)
  await world.assertFree()
})

test('small bodies are read although the memory is used up', async () => {
  await using world = await openWorld({ kilobytes: LARGE / KILOBYTE })
  world.send(LARGE, 'hold')
  await until('it to be held', world.isHolding)
  assert.equal(await world.send(LARGE).answer, '503 ')
  for (let n = 0; n < 20; n += 1) assert.match(await world.send(SMALL).answer, /^200 x/)
})

test('a body that does not arrive in time is 408, and its memory is free', async () => {
  await using world = await openWorld({ ...ROOM, timeoutMs: 100 })
  for (const bytes of [1, LARGE, LARGE]) {
    const slow = world.begin()
    slow.write('x'.repeat(bytes))
    assert.equal(await slow.answer, '408 ')
    slow.end()
  }
  await until('a body in time', async () => (await world.send(LARGE).answer).startsWith('200'))
})

test('a body that has arrived is not too slow, however long its answer takes', async (t) => {
  await using world = await openWorld({ timeoutMs: 1_000 })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const call = world.send(LARGE, 'hold')
  await once(world.server, 'held')
  t.mock.timers.tick(10_000)
  world.answerHeld()
  assert.match(await call.answer, /^200 x/)
})

test('a caller that disconnects leaves nothing behind, before and after its body has arrived', async () => {
  await using world = await openWorld(ROOM)
  for (let n = 1; n <= 5; n += 1) {
    const early = world.begin()
    early.write('x'.repeat(LARGE))
    await until('most of it to arrive', () => early.arrived() === LARGE)
    early.breakOff()
    await until('its reading to fail', () => world.failed() === n)
    const late = world.send(LARGE, 'hold')
    await until('it to be held', world.isHolding)
    late.breakOff()
    await once(world.server, 'left')
    world.answerHeld()
  }
  await world.assertFree()
})

async function openWorld(options: StrangersBodiesOptions = {}) {
  const readBody = openStrangersBodies(options)
  const held: (() => void)[] = []
  const arrived = new Map<string, number>()
  let failed = 0
  const server = createServer((incoming, response) => {
    const { url = '', headers } = incoming
    response.once('close', () => server.emit('left'))
    incoming.on('data', ({ length }: Buffer) => arrived.set(url, (arrived.get(url) ?? 0) + length))
    readBody(incoming, { maxBytes: MAX_BYTES, response }, (error, body) => {
      const status = error === null ? 200 : REFUSALS[toRefusal(error).code].status
      const answer = (): unknown => response.writeHead(status).end(body)
      if (error !== null) failed += 1
      if (headers['x-hold'] === undefined) return void answer()
      held.push(answer)
      server.emit('held')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo

  let begun = 0
  /** A call whose body is not complete yet. The answer is the status and the body that was read. */
  const begin = (hold?: 'hold') => {
    begun += 1
    const path = `/${begun}`
    const headers = { connection: 'keep-alive', ...(hold && { 'x-hold': '1' }) }
    const call = request({ port, host: '127.0.0.1', method: 'POST', path, headers, agent: false })
    const answer = new Promise<string>((resolve) =>
      call.on('response', async (incoming) => resolve(`${incoming.statusCode} ${await text(incoming)}`)),
    )
    call.on('error', () => undefined)
    return {
      answer,
      arrived: () => arrived.get(path),
      write: (piece: string) => call.write(piece),
      end: () => call.end(),
      breakOff: () => call.destroy(),
    }
  }
  const send = (bytes: number, hold?: 'hold') => {
    const call = begin(hold)
    call.write('x'.repeat(bytes))
    call.end()
    return call
  }
  return {
    server,
    begin,
    send,
    failed: () => failed,
    isHolding: () => held.length > 0,
    answerHeld: () => {
      for (const answer of held.splice(0)) answer()
    },
    assertFree: async () => assert.match(await send(LARGE).answer, /^200 x/),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
