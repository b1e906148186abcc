/** Integration events whose deliveries were lost between the broker and a process. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { openCuttingProxy } from '../../../test/support/cutting-proxy.ts'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openOwnNats } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import { toIntegrationEvents } from '../../domain/message/integration-events.ts'
import type { EventLog } from '../../ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  forever,
  nextEntry,
  type Seen,
} from '../../ports/samples.contract.ts'
import { openNats as connect } from './connection.ts'
import { BATCH } from './integration-events.ts'
import { JetStream } from './jetstream.ts'
import { Puller } from './pulls.ts'
import { openSource } from './stream-source.ts'

const MESSAGES = 100
/** About a third of a batch. */
const SOME_BYTES = 64 * 1024

describe('integration events', { timeout: 60_000, concurrency: true }, () => {
  test('are all published, in order, after a connection broke in the middle of a batch', async () => {
    await using world = await openWorld()
    const written = await world.write(MESSAGES)
    assert.ok(written.length > BATCH, 'more than one batch')
    await using _announcer = await world.announceAndCut()
    await world.untilPublished(written)
  })

  test('are all published, in order, when nothing follows those that were lost', async () => {
    await using world = await openWorld()
    const written = await world.write(BATCH / 4)
    await using _announcer = await world.announceAndCut()
    await world.untilPublished(written)
  })

  test('are all published, in order, after a process died with a part of a batch', async () => {
    await using world = await openWorld()
    const first = await world.announce()
    const before = await world.write(1)
    await world.untilPublished(before)
    await first[Symbol.asyncDispose]()
    const written = [...before, ...(await world.write(MESSAGES))]
    await world.lose(BATCH / 4)
    await using _second = await world.announce()
    await world.untilPublished(written)
  })
})

const PREFIX = 'T.'
const ANNOUNCING = { subjectPrefix: PREFIX, publishing: 'always' } as const

/** A broker, an engine that is connected to it directly, and what is on the stream of integration events. */
async function openWorld() {
  await using opened = new AsyncDisposableStack()
  const { url } = opened.use(await openOwnNats())
  const prefix = newPrefix()
  const engine = opened.use(await openEngine({ url, prefix }))
  const connection = opened.use(await connect({ url }))
  const js = new JetStream(connection, 1)
  const [log, events] = [`${prefix}_LOG`, `${prefix}_EVENTS`]
  const count = async (): Promise<number> => {
    const { state } = await js.api<{ state: { messages: number } }>(`STREAM.INFO.${events}`)
    return state.messages
  }
  const published = async (): Promise<readonly string[]> => {
    await using source = await openSource(js, events, { after: 0 })
    const texts: string[] = []
    while (source.pending > 0) {
      const page = await source.next(BATCH, forever())
      texts.push(...page.map(({ subject, msg }) => toText(subject.slice(PREFIX.length), msg.json())))
    }
    return texts
  }
  const unpin = () => js.api(`CONSUMER.UNPIN.${log}.announcer`, { group: 'one' })
  const proxy = opened.use(await openCuttingProxy({ host: '127.0.0.1', port: Number(new URL(url).port) }))
  const behind = opened.use(await openEngine({ url: `nats://127.0.0.1:${proxy.port}`, prefix }))
  const closing = opened.move()
  return {
    announce: () => engine.announce({ ...ANNOUNCING, onFault: assert.ifError }),

    /** Breaks the connection of the announcer while it receives its first batch. */
    async announceAndCut(): Promise<AsyncDisposable> {
      const cut = proxy.cutAfter(SOME_BYTES)
      const announcer = await behind.announce({ ...ANNOUNCING, onFault: () => undefined })
      await cut
      return announcer
    },

    /** The integration events of messages that were attempted and accepted, as texts. */
    async write(messages: number): Promise<readonly string[]> {
      const seen: Seen[] = []
      for (let at = 0; at < messages; at += 1) seen.push(...(await writeOne(engine.log)))
      return seen.flatMap(({ event }) => toIntegrationEvents(event).map(({ name, data }) => toText(name, data)))
    },

    /** Waits until they are stored, and nothing else, in this order. */
    async untilPublished(written: readonly string[]): Promise<void> {
      await until(`${written.length} to be published`, async () => (await count()) >= written.length)
      assert.ok(isDeepStrictEqual(await published(), written), 'in the order in which they were written')
    },

    /** Receives so many events of the log as another process would, and does nothing with them. */
    async lose(batch: number): Promise<void> {
      await unpin()
      let lost = 0
      await using puller = new Puller(connection, log, 'announcer', () => {
        lost += 1
      })
      await puller.pull({ batch, extra: { group: 'one' } })
      await until('them to arrive', () => lost === batch)
      await unpin()
    },

    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

async function writeOne(log: EventLog): Promise<readonly Seen[]> {
  const created = await append(log, createdEntry())
  const attempted = await append(log, nextEntry(created, ATTEMPTED))
  return [created, attempted, await append(log, nextEntry(attempted, ACCEPTED))]
}

const toText = (name: string, data: unknown): string => `${name} ${JSON.stringify(data)}`
