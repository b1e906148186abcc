/** The engine on three replicating brokers: what only shows there. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openNats } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import { millis } from '../../lib/time.ts'
import { type EventLog, START } from '../../ports/event-log.ts'
import {
  append,
  createdEntry,
  delivered,
  forever,
  jobOf,
  nextEntry,
  someContent,
  someMessage,
} from '../../ports/samples.contract.ts'

describe('on a cluster of three brokers', { timeout: 120_000 }, () => {
  test('one writer wins, readers see every write, and losing a broker loses nothing', async (t) => {
    await using cluster = await openNats({ nodes: 3 })
    const { faults } = cluster
    assert.ok(faults !== undefined)
    const [first = '', second = '', third = ''] = cluster.url.split(',')
    const prefix = newPrefix()
    const [one, other] = await Promise.all(
      [`${first},${second},${third}`, `${second},${third},${first}`].map((url) =>
        openEngine({ url, prefix, replicas: 3, partitions: 1, timeoutMs: 1_000, idleAfter: millis(200) }),
      ),
    )
    assert.ok(one !== undefined && other !== undefined)
    await using opened = new AsyncDisposableStack()
    for (const engine of [one, other]) opened.use(engine)
    const logOf = (writer: number): EventLog => (writer % 2 === 0 ? one : other).log

    await t.test('of copies of one event one is written and the others are duplicates', async () => {
      for (let round = 0; round < 20; round += 1) {
        const entry = createdEntry()
        const copies = Array.from({ length: 30 }, (_, at) => logOf(at).append(entry))
        const kinds = (await Promise.all(copies)).map(({ kind }) => kind)
        assert.deepEqual(kinds.toSorted(), ['appended', ...Array<string>(29).fill('duplicate')])
        assert.deepEqual((await other.log.load(entry.event.state.id))?.content, entry.content)
      }
    })

    await t.test('of different writers at one revision one wins', async () => {
      for (let round = 0; round < 10; round += 1) {
        const seen = await append(one.log, createdEntry())
        const rivals = Array.from({ length: 10 }, (_, at) =>
          logOf(at).append(nextEntry(seen, delivered(`report-${at}`))),
        )
        const kinds = (await Promise.all(rivals)).map(({ kind }) => kind)
        assert.deepEqual(kinds.toSorted(), ['appended', ...Array<string>(9).fill('conflict')])
      }
    })

    await t.test('a write is readable by other processes at once', async () => {
      for (let round = 0; round < 100; round += 1) {
        const created = await append(one.log, createdEntry())
        const { id } = created.event.state
        assert.equal((await other.log.latest(id))?.revision, created.revision)
      }
    })

    await t.test('shredding is permanent', async () => {
      const created = await append(one.log, createdEntry())
      const { id } = created.event.state
      await other.log.shred(id)
      assert.equal((await one.log.load(id))?.content, undefined)
      assert.deepEqual(await one.log.append(createdEntry(created.event.state)), { kind: 'duplicate' })
      assert.equal((await one.log.load(id))?.content, undefined)
    })

    await t.test('losing a broker loses nothing', async () => {
      const message = someMessage()
      await append(one.log, createdEntry(message, someContent(), jobOf(message)))
      const tip = await one.log.tip()
      await faults.stop(0)
      await patiently('writes to go on', () => append(one.log, createdEntry()))
      const loaded = await patiently('reads to go on', async () => one.log.load(message.id))
      assert.deepEqual(loaded?.content, someContent())
      const [taken] = await patiently('the queue to go on', () => one.queue.take(1, forever()))
      assert.equal(taken?.job.messageId, message.id)
      let followed = 0
      for await (const page of other.log.follow(START, 100, forever())) {
        followed += page.length
        if ((page.at(-1)?.position ?? START) >= tip) break
      }
      assert.ok(followed >= 132)
    })
  })
})

/** Until the others have agreed that one is gone. */
const patiently = <Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer> =>
  until(what, () => ask().catch(() => undefined), { withinMs: 30_000 }) as Promise<Answer>
