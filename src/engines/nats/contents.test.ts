import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openOwnNats } from '../../../test/support/nats-server.ts'
import { append, createdEntry, someEmail, someMessage } from '../../ports/samples.contract.ts'
import { openNats } from './connection.ts'

const MEGABYTE = 1024 * 1024
const MAIL = { channel: 'email', kind: 'email' } as const

describe('content in pieces', { timeout: 120_000 }, () => {
  test('stores only large content apart, and purges what is no longer needed', async () => {
    await using world = await openWorld()
    const { log } = world
    await append(log, createdEntry(someMessage(MAIL), someEmail(1000)))
    assert.equal(await world.pieces(), 0)

    const message = someMessage(MAIL)
    const entry = createdEntry(message, someEmail(2 * MEGABYTE))
    await append(log, entry)
    const stored = await world.pieces()
    assert.ok(stored > 4, `${stored} pieces`)
    assert.equal((await log.append(entry)).kind, 'duplicate')
    assert.equal(await world.pieces(), stored)
    assert.deepEqual((await log.load(message.id))?.content, entry.content)

    await log.shred(message.id)
    assert.equal(await world.pieces(), 0)
  })

  test('the repeated call replaces a key that was never stored for large content', async () => {
    await using world = await openWorld()
    const { log } = world
    const message = someMessage(MAIL)
    const entry = createdEntry(message, someEmail(2 * MEGABYTE))
    await append(log, entry)
    await world.purge('KEYS')
    assert.equal((await log.append(entry)).kind, 'duplicate')
    assert.deepEqual((await log.load(message.id))?.content, entry.content)
  })

  test('returns no content if the broker has lost a piece', async () => {
    await using world = await openWorld()
    const message = someMessage(MAIL)
    await append(world.log, createdEntry(message, someEmail(2 * MEGABYTE)))
    await world.purge('CONTENTS', 1)
    const loaded = await world.log.load(message.id)
    assert.deepEqual([loaded?.event.state.id, loaded?.content], [message.id, undefined])
  })
})

async function openWorld() {
  await using opened = new AsyncDisposableStack()
  const broker = opened.use(await openOwnNats())
  const prefix = newPrefix()
  const { log } = opened.use(await openEngine({ ...broker, prefix }))
  const connection = opened.use(await openNats(broker))
  const ask = async (path: string, body: object = {}) =>
    (await connection.request(`$JS.API.${path}`, JSON.stringify(body))).json<{ state: { messages: number } }>()
  const closing = opened.move()
  return {
    log,
    pieces: async () => (await ask(`STREAM.INFO.${prefix}_CONTENTS`)).state.messages,
    /** Removes all messages of a stream except the newest ones. */
    purge: (stream: string, keep = 0) => ask(`STREAM.PURGE.${prefix}_${stream}`, { keep }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
