/** Keys that are read alongside the log. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openOwnNats } from '../../../test/support/nats-server.ts'
import { START } from '../../ports/event-log.ts'
import { append, createdEntry, forever } from '../../ports/samples.contract.ts'
import { openNats as connect } from './connection.ts'

/** An engine, and what its processes read from the broker's streams. */
async function openScene() {
  await using opened = new AsyncDisposableStack()
  const broker = opened.use(await openOwnNats())
  const prefix = newPrefix()
  const witness = opened.use(await connect(broker))
  const gets: string[] = []
  witness.subscribe('$JS.API.DIRECT.GET.>', ({ subject }) => gets.push(subject.slice(subject.lastIndexOf('_') + 1)))
  const { log } = opened.use(await openEngine({ ...broker, prefix }))
  /** What was read since the last time. The broker answers the witness after everything before. */
  const reads = async (): Promise<readonly string[]> => {
    await witness.request('$JS.API.INFO', '')
    return gets.splice(0)
  }
  const accept = async () => (await append(log, createdEntry())).event.state
  const closing = opened.move()
  return { witness, prefix, log, reads, accept, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

describe('a follower', { timeout: 120_000 }, () => {
  test('gets the searchable fields without asking for each key', async () => {
    await using scene = await openScene()
    const accepted = await Promise.all(Array.from({ length: 700 }, () => scene.accept()))
    await scene.reads()
    const searchable = new Map<string, unknown>()
    for await (const page of scene.log.follow(START, 256, forever())) {
      for (const { messageId, searchable: fields } of page) searchable.set(messageId, fields)
      if (searchable.size === accepted.length) break
    }
    assert.deepEqual(await scene.reads(), [])
    for (const { id } of accepted) assert.ok(searchable.get(id), 'without searchable fields')
  })

  test('gets none of a message that was erased, before or after its key was read', async () => {
    await using scene = await openScene()
    const { log } = scene
    const accepted = await Promise.all(Array.from({ length: 40 }, () => scene.accept()))
    const [early, late] = [accepted.at(0)?.id, accepted.at(-1)?.id]
    assert.ok(early && late)
    await log.shred(early)
    const seen = new Map<string, unknown>()
    for await (const page of log.follow(START, 8, forever())) {
      if (seen.size === 0) await log.shred(late)
      for (const { messageId, searchable } of page) seen.set(messageId, searchable)
      if (seen.size === accepted.length) break
    }
    assert.deepEqual([seen.get(early), seen.get(late)], [undefined, undefined])
    assert.equal([...seen.values()].filter((fields) => fields !== undefined).length, accepted.length - 2)
  })

  test('goes on reading keys when the consumer was removed', async () => {
    await using scene = await openScene()
    const { witness } = scene
    await scene.accept()
    const found: unknown[] = []
    for await (const page of scene.log.follow(START, 8, forever())) {
      found.push(...page.map(({ searchable }) => searchable))
      if (found.length === 3) break
      const keys = `${scene.prefix}_KEYS`
      const names = (await witness.request(`$JS.API.CONSUMER.NAMES.${keys}`, '')).json<{ consumers: string[] }>()
      for (const name of names.consumers) await witness.request(`$JS.API.CONSUMER.DELETE.${keys}.${name}`, '')
      await scene.accept()
    }
    assert.equal(found.filter((fields) => fields !== undefined).length, 3)
  })
})
