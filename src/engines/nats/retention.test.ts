import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, shareNats } from '../../../test/support/nats-server.ts'
import type { MessageId } from '../../domain/ids.ts'
import { START } from '../../ports/event-log.ts'
import { ATTEMPTED, append, createdEntry, nextEntry, someEmail, someMessage } from '../../ports/samples.contract.ts'
import { openNats as connect } from './connection.ts'
import { JetStream } from './jetstream.ts'
import { namesFor } from './subjects.ts'

const { url } = await shareNats()

async function open() {
  const prefix = newPrefix()
  await using opened = new AsyncDisposableStack()
  const engine = opened.use(await openEngine({ url, prefix }))
  const js = new JetStream(opened.use(await connect({ url })), 1)
  const { log, keys, contents } = namesFor(prefix, 1)
  const all = opened.move()
  return {
    ...engine,
    /** How many messages the streams of the log, the keys and the contents hold. */
    counts: () =>
      Promise.all(
        [log, keys, contents].map(
          async (stream) => (await js.api<{ state: { messages: number } }>(`STREAM.INFO.${stream}`)).state.messages,
        ),
      ),
    /** As the broker does with old ones: blocks of keys are as old as their events. */
    async dropOld() {
      await js.api(`STREAM.PURGE.${log}`)
      await js.api(`STREAM.PURGE.${keys}`, { filter: namesFor(prefix, 1).keyBlock('*') })
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

type Opened = Awaited<ReturnType<typeof open>>

const LARGE = 700_000

/** A mail with large content, and an SMS. */
async function fill({ log }: Opened): Promise<readonly MessageId[]> {
  const mail = someMessage({ channel: 'email', kind: 'email', contentSize: 900 })
  const first = await append(log, createdEntry(mail, someEmail(LARGE)))
  const other = await append(log, createdEntry())
  await append(log, nextEntry(first, ATTEMPTED))
  return [first, other].map(({ event }) => event.state.id)
}

const none = () => false

describe('retention on the broker', { timeout: 120_000 }, () => {
  test('deletes the keys, contents and events of messages, and nothing of others', async () => {
    await using engine = await open()
    const { brokerRetention } = engine
    const [mail, other] = await fill(engine)
    assert.ok(mail !== undefined && other !== undefined)
    assert.deepEqual(await engine.counts(), [3, 2, 2])
    const seen = await brokerRetention.removeContents([mail], none)
    assert.deepEqual(await engine.counts(), [3, 1, 0])
    await brokerRetention.removeEvents(seen)
    assert.deepEqual(await engine.counts(), [1, 1, 0])
    assert.notEqual((await engine.log.load(other))?.content, undefined)
  })

  test('leaves a message alone that is kept by what the log knows of it', async () => {
    await using engine = await open()
    const ids = await fill(engine)
    const seen = await engine.brokerRetention.removeContents(ids, ({ id }) => id === ids[0])
    assert.deepEqual([...seen.keys()], [ids[1]])
    assert.deepEqual(await engine.counts(), [3, 1, 2])
  })

  test('deletes what is left of a message whose events the broker has dropped', async () => {
    await using engine = await open()
    const ids = await fill(engine)
    await engine.dropOld()
    await engine.brokerRetention.removeEvents(await engine.brokerRetention.removeContents(ids, none))
    assert.deepEqual(await engine.counts(), [0, 0, 0])
  })

  test('the newest event is one that is still stored', async () => {
    await using engine = await open()
    const { log, brokerRetention, newestEvent } = engine
    assert.equal(await newestEvent(), START)
    const ids: MessageId[] = []
    for (let nth = 1; nth <= 9; nth += 1) {
      ids.push((await append(log, createdEntry())).event.state.id)
      assert.equal(await newestEvent(), nth)
    }
    const remove = async (...some: readonly (MessageId | undefined)[]) =>
      brokerRetention.removeEvents(
        await brokerRetention.removeContents(
          some.filter((id) => id !== undefined),
          none,
        ),
      )
    await remove(ids[0], ids[3])
    assert.equal(await newestEvent(), 9)
    await remove(ids[8], ids[7], ids[5])
    assert.equal(await newestEvent(), 7)
    await remove(ids[6], ids[4], ids[2])
    assert.equal(await newestEvent(), 2)
    await remove(ids[1])
    assert.equal(await newestEvent(), START)
    assert.equal(await log.tip(), 9)
  })
})
