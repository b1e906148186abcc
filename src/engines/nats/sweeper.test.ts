import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { filesWith, MASTER_KEY, openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openOwnNats } from '../../../test/support/nats-server.ts'
import type { MessageId } from '../../domain/ids.ts'
import { later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import {
  ATTEMPTED,
  append,
  createdEntry,
  forever,
  hours,
  nextEntry,
  REAL_TIME,
  someContent,
  someEmail,
  someMessage,
} from '../../ports/samples.contract.ts'
import { openSealer } from '../crypto/sealer.ts'
import { openNats as connect } from './connection.ts'
import { Contents } from './contents.ts'
import { EventStream } from './event-stream.ts'
import { JetStream, type Query, type Stored } from './jetstream.ts'
import { Keys } from './keys.ts'
import { namesFor } from './subjects.ts'
import { type Orphan, type SweeperDeps, sweep } from './sweeper.ts'

const SAFE_AGE = seconds(60 * 60)
const NOT_YET = seconds(59 * 60)
const LARGE_BYTES = 1_500_000

describe('the sweeper', { timeout: 120_000 }, () => {
  test('destroys a key whose event was never written, after an hour and from every file', async () => {
    await using scene = await openScene()
    const secret = await scene.leaveKey(someMessage().id)
    const living = await append(scene.log, createdEntry())
    assert.deepEqual(await scene.sweep(NOT_YET), {})
    assert.equal((await scene.filesWith(secret)).length, 1)
    assert.deepEqual(await scene.sweep(hours(2)), { key: 1 })
    assert.deepEqual(await scene.filesWith(secret), [])
    await assertReadable(scene.log, living.event.state.id)
  })

  test('destroys a key that a refused call left beside the one of its message', async () => {
    await using scene = await openScene()
    const living = await append(scene.log, createdEntry())
    await append(scene.log, nextEntry(living, ATTEMPTED))
    const secret = await scene.leaveKey(living.event.state.id)
    assert.deepEqual(await scene.sweep(hours(2)), { key: 1 })
    assert.deepEqual(await scene.filesWith(secret), [])
    await assertReadable(scene.log, living.event.state.id)
  })

  test('keeps the key of a call whose event is still being written', async () => {
    await using scene = await openScene()
    const late = someMessage()
    const content = await scene.keys.seal(late, someContent())
    await scene.keys.write(late.id, content)
    const others = Array.from({ length: 300 }, () => someMessage())
    const writing = Promise.all(others.map((message) => append(scene.log, createdEntry(message))))
    for (let round = 0; round < 5; round += 1) assert.deepEqual(await scene.sweep(NOT_YET), {})
    await writing
    await scene.events.begin(createdEntry(late).event, content.sealed)
    assert.deepEqual(await scene.sweep(hours(2)), {})
    for (const { id } of [late, ...others]) await assertReadable(scene.log, id)
  })

  test('keeps the mark of an erased message: otherwise a repeated call would restore it', async () => {
    await using scene = await openScene()
    const erased = await append(scene.log, createdEntry())
    await scene.log.shred(erased.event.state.id)
    assert.deepEqual(await scene.sweep(hours(2)), {})
    assert.deepEqual(await scene.log.append(createdEntry(erased.event.state)), { kind: 'duplicate' })
    assert.equal((await scene.log.load(erased.event.state.id))?.content, undefined)
  })

  test('keeps the recipient of a completed one-time code', async () => {
    await using scene = await openScene()
    const code = await append(scene.log, createdEntry())
    const { id } = code.event.state
    await scene.log.shred(id, 'searchable')
    assert.deepEqual(await scene.sweep(hours(2)), {})
    const loaded = await scene.log.load(id)
    assert.equal(loaded?.content, undefined)
    assert.ok(loaded?.searchable?.toKey)
  })

  test('checks every key once, however many there are, and continues where it stopped', async () => {
    await using scene = await openScene()
    await append(scene.log, createdEntry())
    for (let n = 0; n < 200; n += 1) await scene.leaveKey(someMessage().id)
    assert.deepEqual(await scene.sweep(hours(2)), { key: 200 })
    assert.equal(await scene.keyCount(), 1)
    const asked: string[] = []
    scene.connection.subscribe(`$JS.API.DIRECT.GET.${scene.names.log}`, ({ subject }) => asked.push(subject))
    await scene.leaveKey(someMessage().id)
    assert.deepEqual(await scene.sweep(hours(2)), { key: 1 })
    assert.equal(asked.length, 1)
  })

  test('keeps what is older than the log, and everything while the log is empty', async () => {
    await using scene = await openScene()
    await append(scene.log, createdEntry())
    await scene.js.api(`STREAM.PURGE.${scene.names.log}`)
    assert.deepEqual(await scene.sweep(hours(2)), {})
    await append(scene.log, createdEntry())
    await scene.leaveKey(someMessage().id)
    assert.deepEqual(await scene.sweep(hours(2)), { key: 1 })
    assert.equal(await scene.keyCount(), 2)
  })

  test('keeps what belongs to a message whose events cannot be read', async () => {
    await using scene = await openScene()
    const mail = someEmail(LARGE_BYTES)
    const living = await append(scene.log, createdEntry(someMessage(), mail))
    await append(scene.log, nextEntry(living, ATTEMPTED))
    await scene.leaveKey(someMessage().id)
    const { log } = scene.names
    const none = new Damaged(scene.js, log, () => true)
    assert.deepEqual(await scene.sweep(hours(2), { js: none }), { key: 1 })
    await scene.js.api(`STREAM.PURGE.${scene.names.rounds}`)
    const notTheFirst = new Damaged(scene.js, log, ({ seq }) => seq === 1)
    assert.deepEqual(await scene.sweep(hours(2), { js: notTheFirst }), {})
    assert.deepEqual((await scene.log.load(living.event.state.id))?.content, mail)
  })

  test('keeps the content that a replaced key names while that key cannot be read', async () => {
    await using scene = await openScene()
    const mail = someEmail(LARGE_BYTES)
    const mended = someMessage()
    await append(scene.log, createdEntry(mended, mail))
    await scene.js.api(`STREAM.PURGE.${scene.names.keys}`)
    assert.deepEqual(await scene.log.append(createdEntry(mended, mail)), { kind: 'duplicate' })
    const js = new Damaged(scene.js, scene.names.keys, () => true)
    // Late enough that a missing key is not waited for.
    const keys = scene.keysOn(js, () => later(REAL_TIME.clock(), hours(2)))
    assert.deepEqual(await scene.sweep(hours(2), { js, keys }), {})
    assert.deepEqual((await scene.log.load(mended.id))?.content, mail)
  })

  test("judges age by the broker's clock if the clock of the process is ahead", async () => {
    await using scene = await openScene()
    await append(scene.log, createdEntry())
    await scene.leaveKey(someMessage().id)
    const clock = () => later(REAL_TIME.clock(), hours(2))
    assert.deepEqual(await scene.sweep(NOT_YET, { clock }), {})
    assert.deepEqual(await scene.sweep(hours(2), { clock }), { key: 1 })
  })

  test('purges large content without an event, and keeps that of messages, with replaced keys too', async () => {
    await using scene = await openScene()
    const [whole, mended, orphan] = [someMessage(), someMessage(), someMessage()]
    const mail = someEmail(LARGE_BYTES)
    await append(scene.log, createdEntry(mended, mail))
    await scene.js.api(`STREAM.PURGE.${scene.names.keys}`)
    // The key is replaced, with content of its own; the pieces that the event names are no longer needed.
    assert.deepEqual(await scene.log.append(createdEntry(mended, mail)), { kind: 'duplicate' })
    await append(scene.log, createdEntry(whole, mail))
    await scene.keys.seal(orphan, mail)
    assert.deepEqual(await scene.sweep(NOT_YET), {})
    assert.deepEqual(await scene.sweep(hours(2)), { content: 2 })
    assert.deepEqual(await scene.sweep(hours(2)), {})
    for (const { id } of [whole, mended]) assert.deepEqual((await scene.log.load(id))?.content, mail)
    assert.equal(await scene.js.count(scene.names.contents, scene.names.piece(orphan.id, '*', '*')), 0)
  })
})

/** As the broker answers when it cannot load the blocks of a stream with these messages: as if they did not exist. */
class Damaged extends JetStream {
  readonly #stream: string
  readonly #isLost: (stored: Stored) => boolean

  constructor({ connection }: JetStream, stream: string, isLost: (stored: Stored) => boolean) {
    super(connection, 1)
    this.#stream = stream
    this.#isLost = isLost
  }

  override async get(stream: string, query: Query): Promise<Stored | undefined> {
    const stored = await super.get(stream, query)
    return stored !== undefined && stream === this.#stream && this.#isLost(stored) ? undefined : stored
  }
}

/** An engine and its parts, to reproduce by hand what a crash leaves behind. */
async function openScene() {
  await using opened = new AsyncDisposableStack()
  const broker = opened.use(await openOwnNats())
  const prefix = newPrefix()
  const { clock } = REAL_TIME
  const engine = opened.use(await openEngine({ url: broker.url, prefix, partitions: 1 }))
  const connection = opened.use(await connect(broker))
  const js = new JetStream(connection, 1)
  const names = namesFor(prefix, 1)
  const sealing = { sealer: openSealer(MASTER_KEY), indexBodies: false }
  const contents = new Contents(js, names)
  const keysOn = (on: JetStream, at = clock) => new Keys({ js: on, names, contents, sealing, clock: at })
  const keys = keysOn(js)
  const [folder = ''] = broker.faults.folders
  let left = 0
  const closing = opened.move()
  return {
    ...engine,
    connection,
    js,
    names,
    keys,
    keysOn,
    events: new EventStream(js, names),
    /** A key that no event names; returns its contents. */
    async leaveKey(id: MessageId): Promise<string> {
      left += 1
      const secret = `secret-${left}-of-${id}`
      await js.publish(names.key(id, `orphan${left}`), secret)
      return secret
    },
    keyCount: () => js.count(names.keys, `${prefix}.keys.*.*`),
    filesWith: (text: string) => filesWith(folder, Buffer.from(text)),
    /** Sweeps as if everything were that much older, and returns what was swept. */
    async sweep(by: Millis, other?: Partial<SweeperDeps>): Promise<Partial<Record<Orphan, number>>> {
      const swept: Partial<Record<Orphan, number>> = {}
      const deps = { js, names, keys, contents, clock, safeAge: millis(SAFE_AGE - by), ...other }
      const onSwept = (kind: Orphan, count: number): void => {
        swept[kind] = (swept[kind] ?? 0) + count
      }
      await sweep(deps, onSwept, forever())
      return swept
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

async function assertReadable(log: EventLog, id: MessageId): Promise<void> {
  assert.deepEqual((await log.load(id))?.content, someContent())
}
