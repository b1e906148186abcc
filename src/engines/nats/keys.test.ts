import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { filesWith, openEngine, recordingSealer } from '../../../test/support/nats-engine.ts'
import { newPrefix, openOwnNats } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import {
  ATTEMPTED,
  append,
  createdEntry,
  forever,
  jobOf,
  nextEntry,
  someContent,
  someMessage,
  withHashedId,
} from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openNats as connect } from './connection.ts'

describe('keys', { timeout: 120_000 }, () => {
  test('a shredded secret is in no file of the broker', async () => {
    await using broker = await openOwnNats()
    const secrets: Uint8Array[] = []
    await using engine = await openEngine({ ...broker, sealer: recordingSealer(secrets) })
    const { log } = engine
    const [mine, yours] = [await append(log, createdEntry()), await append(log, createdEntry())]
    assert.deepEqual(await log.append(createdEntry(mine.event.state)), { kind: 'duplicate' })
    assert.equal(secrets.length, 3)
    const [folder = ''] = broker.faults.folders
    const filesOf = async (secret: Uint8Array) =>
      filesWith(folder, Buffer.from(Buffer.from(secret).toString('base64url')))
    const [mySecret = NONE, yourSecret = NONE, refusedSecret = NONE] = secrets
    assert.equal((await filesOf(mySecret)).length, 1)
    assert.deepEqual(await filesOf(refusedSecret), [])
    await log.shred(mine.event.state.id)
    assert.deepEqual(await filesOf(mySecret), [])
    assert.equal((await filesOf(yourSecret)).length, 1)
    await broker.faults.kill()
    await broker.faults.restart()
    assert.deepEqual(await filesOf(mySecret), [])
    await until('the broker to be back', () =>
      Promise.resolve(log.latest(yours.event.state.id)).then(
        () => true,
        () => false,
      ),
    )
    assert.equal((await log.load(mine.event.state.id))?.content, undefined)
    assert.deepEqual((await log.load(yours.event.state.id))?.content, someContent())
  })

  test('a message whose key was never stored does not count as erased, and the repeated call replaces the key', async () => {
    await using broker = await openOwnNats()
    const prefix = newPrefix()
    await using engine = await openEngine({ ...broker, prefix })
    const { log } = engine
    const message = someMessage()
    const created = await append(log, createdEntry(message))
    await append(log, nextEntry(created, ATTEMPTED))
    await loseKeys(broker.url, prefix)

    await assert.rejects(async () => log.load(message.id), Unavailable)
    assert.deepEqual(await log.append(createdEntry(message)), { kind: 'duplicate' })
    assert.deepEqual((await log.load(message.id))?.content, someContent())
    await log.shred(message.id)
    assert.deepEqual(await log.append(createdEntry(message)), { kind: 'duplicate' })
    assert.equal((await log.load(message.id))?.content, undefined)
  })

  test('the call repeated after an upgrade replaces the key too, though its event has an id of another form', async () => {
    await using broker = await openOwnNats()
    const prefix = newPrefix()
    await using engine = await openEngine({ ...broker, prefix })
    const { log } = engine
    const repeated = createdEntry(someMessage())
    await append(log, { ...repeated, event: withHashedId(repeated.event) })
    await loseKeys(broker.url, prefix)

    assert.deepEqual(await log.append(repeated), { kind: 'conflict' })
    assert.deepEqual((await log.load(repeated.event.state.id))?.content, someContent())
  })

  test('a key left by a call that lost the race does not prevent the replacement', async () => {
    await using broker = await openOwnNats()
    const prefix = newPrefix()
    await using engine = await openEngine({ ...broker, prefix })
    const { log } = engine
    const message = someMessage()
    await append(log, createdEntry(message))
    await loseKeys(broker.url, prefix)
    await leaveKey(broker.url, `${prefix}.keys.${message.id}.orphan`)

    assert.deepEqual(await log.append(createdEntry(message)), { kind: 'duplicate' })
    assert.deepEqual((await log.load(message.id))?.content, someContent())
  })

  test('destroys a key that outlived its event in the log', async () => {
    await using broker = await openOwnNats()
    const prefix = newPrefix()
    await using engine = await openEngine({ ...broker, prefix })
    // The key of a one-time code is not in a block: only the event tells which block has a message's key.
    const { id } = (await append(engine.log, createdEntry(someMessage({ lane: 'otp' })))).event.state
    await using connection = await connect({ url: broker.url })
    await connection.request(`$JS.API.STREAM.PURGE.${prefix}_LOG`, '')
    const keys = async () => {
      const answer = await connection.request(`$JS.API.STREAM.INFO.${prefix}_KEYS`, '{"subjects_filter":">"}')
      return Object.keys(answer.json<{ state: { subjects: object } }>().state.subjects).map((name) =>
        name.split('.').at(-1),
      )
    }
    assert.notDeepEqual(await keys(), ['shredded'])
    await engine.log.shred(id)
    assert.deepEqual(await keys(), ['shredded'])
    const { id: unknown } = someMessage()
    await engine.log.shred(unknown)
    assert.deepEqual(await keys(), ['shredded'])
  })

  test('a worker that gets the job before its event is visible waits for it', async () => {
    await using broker = await openOwnNats()
    await using engine = await openEngine(broker)
    const { log, queue } = engine
    const message = someMessage()
    await queue.put(jobOf(message))
    const [taken] = await queue.take(1, forever())
    assert.ok(taken !== undefined)
    const loading = log.load(message.id)
    await append(log, createdEntry(message))
    assert.deepEqual((await loading)?.content, someContent())
    await queue.done(taken)
    assert.equal(await log.load(someMessage().id), undefined)
  })
})

const NONE = new Uint8Array()

/** As if the broker had stored the event and failed before it stored the key. */
async function loseKeys(url: string, prefix: string): Promise<void> {
  await using connection = await connect({ url })
  await connection.request(`$JS.API.STREAM.PURGE.${prefix}_KEYS`, '')
}

/** As if a caller had not learned that its key was stored. */
async function leaveKey(url: string, subject: string): Promise<void> {
  await using connection = await connect({ url })
  await connection.request(subject, 'a key that no event names')
}
