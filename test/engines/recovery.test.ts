/** Recovery finds a lost job among any number of parked ones, on the engines of every profile. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { ProviderName } from '../../src/domain/ids.ts'
import type { Message } from '../../src/domain/message/message.ts'
import { openPostgresIndex } from '../../src/engines/postgres/postgres.ts'
import { openSqlite } from '../../src/engines/sqlite/sqlite.ts'
import { UNSEALED } from '../../src/engines/sqlite/store.fixture.ts'
import { Recovery } from '../../src/flows/send/recover.ts'
import { instant, later, type Millis, millis, seconds } from '../../src/lib/time.ts'
import { type FilledIndex, loggedIndex, projectedIndex } from '../../src/ports/filled-index.contract.ts'
import type { Queue } from '../../src/ports/queue.ts'
import { jobsOf, takeCount } from '../../src/ports/queue-samples.contract.ts'
import { earlier, hours, jobOf, someMessage } from '../../src/ports/samples.contract.ts'
import { openMemoryEngine } from '../memory/memory.ts'
import { openEngine } from '../support/nats-engine.ts'
import { shareNats } from '../support/nats-server.ts'
import { sharePostgres } from '../support/postgres-server.ts'

type Engines = FilledIndex & Readonly<{ queue: Queue }>

const clock = () => instant(Date.now())
const RECOVER_AFTER = seconds(10)
const GATE = ['absent' as ProviderName] as const
const AT_ONCE = 500

const { url } = await shareNats()
const { migrated } = await sharePostgres()

async function openEmbedded(): Promise<Engines> {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-recovery-'))
  const engine = await openSqlite({ path: join(folder, 'pombo.db'), clock, ...UNSEALED, indexBodies: false })
  return {
    ...loggedIndex(engine),
    queue: engine.queue,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

async function openClustered(): Promise<Engines> {
  const opened = new AsyncDisposableStack()
  const { appUrl } = opened.use(await migrated())
  const postgres = opened.use(await openPostgresIndex({ url: appUrl }))
  const { queue } = opened.use(await openEngine({ url }))
  return { ...projectedIndex(postgres), queue, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

async function openMemory(): Promise<Engines> {
  const engine = openMemoryEngine({ clock, lease: hours(1) })
  return { ...projectedIndex(engine), queue: engine.queue }
}

const SETS: Readonly<Record<string, () => Promise<Engines>>> = {
  memory: openMemory,
  sqlite: openEmbedded,
  'nats and postgres': openClustered,
}

/** Adds messages to the index whose last event is this old. */
async function addMessages({ put }: Engines, count: number, since: Millis): Promise<readonly Message[]> {
  const messages = Array.from({ length: count }, (_, nth) =>
    someMessage({ createdAt: earlier(clock(), millis(since - nth)) }),
  )
  for (let start = 0; start < count; start += AT_ONCE) {
    await put(...messages.slice(start, start + AT_ONCE).map((message) => ({ message })))
  }
  return messages
}

/** Adds messages and parks their jobs. */
async function park(engines: Engines, count: number, since: Millis): Promise<readonly Message[]> {
  const { queue } = engines
  const messages = await addMessages(engines, count, since)
  for (let start = 0; start < count; start += AT_ONCE) {
    const portion = messages.slice(start, start + AT_ONCE)
    await Promise.all(portion.map((message) => queue.put(jobOf(message))))
    const taken = await takeCount(queue, portion.length)
    await Promise.all(taken.map((one) => queue.park(one, GATE, later(clock(), hours(1)))))
  }
  return messages
}

for (const [name, open] of Object.entries(SETS)) {
  describe(`recovery on ${name}`, { timeout: 120_000 }, () => {
    for (const waiting of [501, 5_000]) {
      test(`one lost job among ${waiting} parked ones is queued again within two rounds`, async () => {
        await using engines = await open()
        await park(engines, waiting, hours(2))
        const [lost] = await addMessages(engines, 1, hours(1))
        const recovery = new Recovery({ ...engines, clock }, RECOVER_AFTER)
        const rounds = [await recovery.round(), await recovery.round()]
        assert.equal(
          rounds.reduce((sum, { recovered }) => sum + recovered, 0),
          1,
        )
        assert.deepEqual(jobsOf(await takeCount(engines.queue, 1)), [lost?.id])
      })
    }

    test('a job lost while many are parked is queued again in the next round', async () => {
      await using engines = await open()
      await park(engines, 1_200, hours(2))
      let now = clock()
      const recovery = new Recovery({ ...engines, clock: () => now }, RECOVER_AFTER)
      await recovery.round()
      const [lost] = await addMessages(engines, 1, millis(0))
      now = later(clock(), seconds(11))
      assert.equal((await recovery.round()).recovered, 1)
      assert.deepEqual(jobsOf(await takeCount(engines.queue, 1)), [lost?.id])
    })

    test('a lost parked job is found by the sweep', async () => {
      await using engines = await open()
      const { queue } = engines
      await park(engines, 900, hours(3))
      const [lost] = await park(engines, 1, hours(2))
      await park(engines, 900, hours(1))
      const recovery = new Recovery({ ...engines, clock }, RECOVER_AFTER)
      assert.deepEqual(await recovery.round(), { checked: 2_801, recovered: 0 })
      await queue.unpark({ provider: GATE[0] }, 901)
      for (const taken of await takeCount(queue, 901)) {
        if (taken.job.messageId === lost?.id) await queue.done(taken)
      }
      let recovered = 0
      for (let round = 0; round < 3; round += 1) recovered += (await recovery.round()).recovered
      assert.equal(recovered, 1)
    })
  })
}
