import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Unavailable } from '../../../ports/unavailable.ts'
import { frameSealing } from '../../crypto/frame-sealer.ts'
import { DatabaseDamaged } from '../damage.ts'
import { newFolder } from '../store.fixture.ts'
import { Journal, MOST_UNFILED } from './journal.ts'
import { JournalReader, journalPathOf } from './journal-file.ts'
import { JournalProgress } from './progress.ts'

const OWNER = 7
const SEALING = frameSealing(randomBytes(32))

function open(t: TestContext, database = join(newFolder(t), 'pombo.db'), last = 0, stuckAfterMs?: number) {
  const progress = new JournalProgress()
  const journal = new Journal({ database, owner: OWNER, last, sealing: SEALING, progress }, stuckAfterMs)
  t.after(() => journal[Symbol.asyncDispose]())
  const path = journalPathOf(database)
  const write = (...lines: string[]): Promise<void> =>
    new Promise((onDurable, onFailed) => journal.add({ lines, onDurable, onFailed }))
  const read = (after = 0, through = progress.durable) => {
    using reader = new JournalReader(path, SEALING)
    return reader.read(after, through, 100)
  }
  return { journal, progress, database, path, write, read }
}

/** Changes the file behind the journal's back. */
function change(path: string, sql: string, ...values: (number | Uint8Array)[]): void {
  using db = new DatabaseSync(path)
  db.prepare(sql).run(...values)
}

test('lines of one turn share a frame, and are durable before anyone is told', async (t) => {
  const { write, read, progress } = open(t)
  await Promise.all([write('one'), write('two', 'three')])
  assert.equal(progress.durable, 1)
  await write('four')
  assert.deepEqual(read(), [
    [1, 'one\ntwo\nthree'],
    [2, 'four'],
  ])
})

test('lines that arrive during a sync share the next frame', async (t) => {
  const { write, read } = open(t)
  const first = write('one')
  await new Promise(setImmediate)
  const others = [write('two'), write('three')]
  await Promise.all([first, ...others])
  assert.deepEqual(
    read().map(([, text]) => text),
    ['one', 'two\nthree'],
  )
})

test('a frame that cannot be written fails all its lines, the newest first, and the next one is written', async (t) => {
  const { journal, write, read, path } = open(t)
  const failed: string[] = []
  const refused = (line: string) => ({
    lines: [line],
    onDurable: () => assert.fail('not written'),
    onFailed: (error: Error) => void failed.push(`${line}: ${error instanceof Unavailable}`),
  })
  change(path, `create trigger full before insert on frames begin select raise(abort, 'the disk is full'); end`)
  journal.add(refused('one'))
  journal.add(refused('two'))
  await journal.settled()
  assert.deepEqual(failed, ['two: true', 'one: true'])
  change(path, 'drop trigger full')
  await write('three')
  assert.deepEqual(read(), [[1, 'three']])
})

test('a frame that was not written and the next one, which has its number, are sealed with different secrets', async (t) => {
  const database = join(newFolder(t), 'pombo.db')
  const sealed: string[] = []
  const sealing = (secret: Uint8Array) => {
    const sealer = SEALING(secret)
    const seal = (frame: number, text: string): Uint8Array => {
      sealed.push(`${Buffer.from(secret).toString('hex')} ${frame}`)
      return sealer.seal(frame, text)
    }
    return { ...sealer, seal }
  }
  await using journal = new Journal({ database, owner: OWNER, last: 0, sealing, progress: new JournalProgress() })
  change(
    journalPathOf(database),
    `create trigger full before insert on frames begin select raise(abort, 'the disk is full'); end`,
  )
  for (const _ of ['first', 'second']) await assert.rejects(journal.prove(), Unavailable)
  change(journalPathOf(database), 'drop trigger full')
  for (const _ of ['third', 'fourth']) await journal.prove()
  const frames = sealed.map((nonce) => nonce.split(' ')[1])
  assert.deepEqual(frames, ['1', '1', '1', '2'])
  assert.equal(new Set(sealed).size, sealed.length)
})

test('lines that follow a frame closely share the next one, unless they are many', async (t) => {
  t.mock.method(performance, 'now', () => 1_000)
  const { write, read } = open(t)
  await write('one')
  const two = write('two')
  await new Promise(setImmediate)
  await Promise.all([two, write('three')])
  await Promise.all(Array.from({ length: 40 }, (_, nth) => write(String(nth))))
  assert.deepEqual(read(0, 2), [
    [1, 'one'],
    [2, 'two\nthree'],
  ])
  assert.equal(read(2).length, 1)
})

test('`settled` waits for what was added before, and for nothing else', async (t) => {
  const { journal, write, progress } = open(t)
  await journal.settled()
  void write('one')
  await journal.settled()
  assert.equal(progress.durable, 1)
})

test('frames stay until they are filed, and destroying them takes their secrets too', async (t) => {
  const { journal, write, read, progress, path } = open(t)
  await write('a secret')
  const [{ secret }] = rows(path, 'select secret from epochs') as [{ secret: Uint8Array }]
  const through = await journal.beginEpoch()
  await write('later')
  assert.throws(() => journal.destroy(through), /only filed frames/)
  progress.filed = through
  journal.destroy(through)
  using reader = new JournalReader(path, SEALING)
  reader.truncate()
  assert.deepEqual(read(through), [[through + 1, 'later']])
  const files = Buffer.concat([path, `${path}-wal`].map((file) => readFileSync(file)))
  assert.equal(files.includes(Buffer.from(secret)), false)
})

test('an empty journal is removed when it is closed, and another one is not', async (t) => {
  for (const isFiled of [true, false]) {
    const { journal, write, progress, path } = open(t)
    await write('one')
    if (isFiled) progress.filed = progress.durable
    await journal[Symbol.asyncDispose]()
    assert.equal(existsSync(path), !isFiled)
  }
})

test('frames are readable after reopening, in the order of their numbers', async (t) => {
  const { journal, write, database } = open(t)
  await write('one')
  await journal[Symbol.asyncDispose]()
  const again = open(t, database, 1)
  await again.write('two')
  assert.deepEqual(again.read(), [
    [1, 'one'],
    [2, 'two'],
  ])
})

test('refuses a journal of another database', async (t) => {
  const { journal, database, write } = open(t)
  await write('one')
  await journal[Symbol.asyncDispose]()
  const other = () => new Journal({ database, owner: 8, last: 0, sealing: SEALING, progress: new JournalProgress() })
  assert.throws(other, (error) => error instanceof DatabaseDamaged && error.message.includes('another database'))
})

test('refuses every flipped byte of a frame, and names the file', async (t) => {
  const { write, read, path } = open(t)
  await write('a frame of some length')
  const [{ sealed }] = rows(path, 'select sealed from frames') as [{ sealed: Uint8Array }]
  for (let at = 0; at < sealed.length; at += 1) {
    const flipped = new Uint8Array(sealed)
    flipped[at] = (flipped[at] ?? 0) ^ 1
    change(path, 'update frames set sealed = ?', flipped)
    assert.throws(read, (error) => error instanceof DatabaseDamaged && error.message.startsWith(path))
  }
  change(path, 'update frames set sealed = ?', sealed)
  assert.deepEqual(read(), [[1, 'a frame of some length']])
})

test('refuses a missing frame, a renumbered one, a missing secret and a cut one', async (t) => {
  for (const [sql, finding] of [
    ['delete from frames where number = 2', /frame 2 is missing/],
    ['update frames set number = number + 10', /frame 1 is missing/],
    ['update frames set number = case number when 1 then 9 else number - 1 end', /frame 1 is unreadable/],
    ['delete from epochs', /the secret of epoch 1 is missing/],
    ['update frames set sealed = substr(sealed, 1, 9)', /frame 1 is unreadable/],
  ] as const) {
    const { write, read, path } = open(t)
    for (const line of ['one', 'two', 'three']) await write(line)
    change(path, sql)
    assert.throws(() => read(0, 3), finding)
  }
})

function rows(path: string, sql: string): unknown[] {
  using db = new DatabaseSync(path, { readOnly: true })
  return db.prepare(sql).all()
}

test('a frame waits while the filer has too much to file, and no longer', async (t) => {
  const { write, progress } = open(t)
  await write('x'.repeat(MOST_UNFILED))
  let isWritten = false
  const writing = write('more').then(() => {
    isWritten = true
  })
  await wait(50)
  assert.equal(isWritten, false)
  progress.filed = 1
  await writing
})

test('a filer that is stuck lets new lines fail, the newest first, until it makes progress', async (t) => {
  const { write, read, journal, progress } = open(t, undefined, 0, 30)
  const began = performance.now()
  await write('x'.repeat(MOST_UNFILED))
  const failed: string[] = []
  for (const line of ['one', 'two']) {
    const onFailed = (error: Error): void => void failed.push(`${line}: ${error.name}: ${error.message}`)
    journal.add({ lines: [line], onDurable: () => assert.fail('not written'), onFailed })
  }
  await journal.settled()
  assert.ok(performance.now() - began >= 30, 'it had time to make progress')
  const reason = 'Unavailable: the tables cannot be written'
  assert.deepEqual(failed, [`two: ${reason}`, `one: ${reason}`])
  await assert.rejects(write('three'), Unavailable)
  progress.filed = 1
  await write('four')
  assert.deepEqual(read(1), [[2, 'four']])
})

test('destroying frames fails if their secrets are still there', async (t) => {
  const { write, journal, progress, path } = open(t)
  await write('line')
  const through = await journal.beginEpoch()
  progress.filed = through
  change(path, `create trigger kept before delete on epochs begin select raise(abort, 'the disk is full'); end`)
  assert.throws(() => journal.destroy(through), Unavailable)
  change(path, 'drop trigger kept')
  journal.destroy(through)
})
