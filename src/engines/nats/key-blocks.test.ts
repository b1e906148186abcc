/** Keys that share an entry on the broker. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { filesWith, openEngine, recordingSealer } from '../../../test/support/nats-engine.ts'
import { newPrefix, openOwnNats } from '../../../test/support/nats-server.ts'
import { append, createdEntry, jobOf, someContent, someMessage } from '../../ports/samples.contract.ts'
import { openNats as connect } from './connection.ts'
import { JetStream } from './jetstream.ts'

async function openScene() {
  await using opened = new AsyncDisposableStack()
  const broker = opened.use(await openOwnNats())
  const prefix = newPrefix()
  const secrets: Uint8Array[] = []
  const engine = opened.use(await openEngine({ ...broker, prefix, sealer: recordingSealer(secrets) }))
  const js = new JetStream(opened.use(await connect(broker)), 1)
  const [folder = ''] = broker.faults.folders
  const isOnDisk = async (nth: number): Promise<boolean> => {
    const secret = Buffer.from(secrets[nth] ?? []).toString('base64url')
    return (await filesWith(folder, Buffer.from(secret))).length > 0
  }
  /** The messages in the stream of keys. */
  const stored = async (): Promise<number> =>
    (await js.api<{ state: { messages: number } }>(`STREAM.INFO.${prefix}_KEYS`)).state.messages
  /** Accepts them in one turn of the event loop. */
  const accept = async (count: number) => {
    const messages = Array.from({ length: count }, () => someMessage())
    await Promise.all(messages.map((message) => append(engine.log, createdEntry(message))))
    return messages
  }
  const closing = opened.move()
  return { ...engine, prefix, js, accept, stored, isOnDisk, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

describe('keys of messages that are accepted together', { timeout: 120_000 }, () => {
  test('share an entry, and each opens its own message', async () => {
    await using scene = await openScene()
    const messages = await scene.accept(70)
    assert.equal(await scene.stored(), 3)
    for (const { id } of messages) assert.deepEqual((await scene.log.load(id))?.content, someContent())
  })

  test('are destroyed one by one, and the others still open their messages', async () => {
    await using scene = await openScene()
    const messages = await scene.accept(5)
    const [first, second] = messages
    assert.ok(first && second)
    await Promise.all([scene.log.shred(first.id), scene.log.shred(second.id, 'searchable')])
    assert.deepEqual(await Promise.all([0, 1, 2, 3, 4].map(scene.isOnDisk)), [false, false, true, true, true])
    assert.equal((await scene.log.load(first.id))?.content, undefined)
    assert.ok((await scene.log.load(second.id))?.searchable)
    for (const { id } of messages.slice(2)) assert.deepEqual((await scene.log.load(id))?.content, someContent())
  })

  test('leave nothing behind when the last one is destroyed', async () => {
    await using scene = await openScene()
    const messages = await scene.accept(3)
    for (const { id } of messages) await scene.log.shred(id)
    assert.deepEqual(await Promise.all([0, 1, 2].map(scene.isOnDisk)), [false, false, false])
    // The marks.
    assert.equal(await scene.stored(), 3)
  })

  test('are destroyed on disk by a repeated erasure when the first one stopped half-way', async () => {
    await using scene = await openScene()
    const [victim] = await scene.accept(2)
    assert.ok(victim)
    const { prefix, js } = scene
    const block = await js.get(`${prefix}_KEYS`, { last_by_subj: `${prefix}.keys.block.*` })
    assert.ok(block)
    const [, other = ''] = Buffer.from(block.data).toString().split('\n')
    await js.publish(block.subject, `\n${other}`)
    assert.equal(await scene.isOnDisk(0), true)
    await scene.log.shred(victim.id)
    assert.deepEqual(await Promise.all([0, 1].map(scene.isOnDisk)), [false, true])
  })

  test('of calls that the log refused are destroyed', async () => {
    await using scene = await openScene()
    const messages = await scene.accept(3)
    const again = await Promise.all(
      messages.map((message) => scene.log.append({ ...createdEntry(message), job: jobOf(message) })),
    )
    assert.deepEqual(again, Array(3).fill({ kind: 'duplicate' }))
    assert.deepEqual(await Promise.all([3, 4, 5].map(scene.isOnDisk)), [false, false, false])
    for (const { id } of messages) assert.deepEqual((await scene.log.load(id))?.content, someContent())
  })

  test('of one-time codes are alone, because each is destroyed soon', async () => {
    await using scene = await openScene()
    const codes = Array.from({ length: 4 }, () => someMessage({ lane: 'otp' }))
    await Promise.all(codes.map((code) => append(scene.log, createdEntry(code))))
    assert.equal(await scene.stored(), 4)
  })

  test('are deleted with the messages of a page, and a new one with the same id gets a key', async () => {
    await using scene = await openScene()
    const messages = await scene.accept(4)
    const [kept, ...old] = messages
    assert.ok(kept)
    const ids = old.map(({ id }) => id)
    await scene.brokerRetention.removeEvents(await scene.brokerRetention.removeContents(ids, () => false))
    assert.equal(await scene.stored(), 1)
    assert.deepEqual((await scene.log.load(kept.id))?.content, someContent())
    assert.equal(await scene.log.load(ids[0] ?? kept.id), undefined)
    const [again = kept] = old
    assert.equal((await scene.log.append(createdEntry(again))).kind, 'appended')
    assert.deepEqual((await scene.log.load(again.id))?.content, someContent())
  })
})
