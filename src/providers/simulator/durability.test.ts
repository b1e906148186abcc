import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { instant, millis, seconds } from '../../lib/time.ts'
import { openCarrier } from './carrier.ts'
import { attemptTo, clock, mailTo, NEVER_ABORTED, newPath, received, setUp, summary } from './fixture.ts'
import { openSimulator } from './simulator.ts'

test('reports pending receipts once after a restart', async (t) => {
  const first = await setUp(t, { receiptDelay: millis(200) })
  const attempts = [1, 2, 3].map(() => attemptTo('+4712345678'))
  await Promise.all(attempts.map((attempt) => first.simulator.send(attempt, NEVER_ABORTED)))
  await first.simulator[Symbol.asyncDispose]()
  assert.deepEqual(first.receipts(), [])

  const second = await setUp(t, { path: first.path })
  await second.has(3)
  assert.deepEqual(
    second.receipts().map(({ ref }) => ref),
    attempts.map(({ ref }) => ref),
  )
  await second.simulator[Symbol.asyncDispose]()

  const third = await setUp(t, { path: first.path })
  const last = attemptTo('+4712345678')
  await third.simulator.send(last, NEVER_ABORTED)
  await third.has(1)
  assert.deepEqual(
    third.receipts().map(({ ref }) => ref),
    [last.ref],
  )
  assert.deepEqual(await received(third.simulator), [last.id, ...attempts.map(({ id }) => id).reverse()])
})

/** Earlier versions of the table `owed`. */
const EARLIER_TABLES = [
  ['callbacks', 'due_at, reception, nth', 'state, code, detail'],
  ['mail', 'callback, due_at, reception, nth', 'state, code, detail'],
] as const

for (const [novelty, key, rest] of EARLIER_TABLES) {
  test(`migrates a file from before ${novelty}`, async (t) => {
    const first = await setUp(t, { receiptDelay: millis(200) })
    const attempt = attemptTo('+4712345678')
    await first.simulator.send(attempt, NEVER_ABORTED)
    await first.simulator[Symbol.asyncDispose]()
    {
      using file = new DatabaseSync(first.path)
      file.exec(`
        drop table mails;
        alter table owed rename to owed_now;
        create table owed (${key}, ${rest}, primary key (${key})) without rowid;
        insert into owed select ${key}, ${rest} from owed_now;
        drop table owed_now;
      `)
    }
    const second = await setUp(t, { path: first.path })
    await second.has(1)
    assert.deepEqual(second.receipts()[0]?.ref, attempt.ref)
    await second.simulator.send(mailTo('bounce@sim.pombo.test'), NEVER_ABORTED)
    await second.has(2)
    assert.equal(second.receipts()[1]?.suppresses, 'hard_bounce')
  })
}

test('retries receipts that could not be reported', async (t) => {
  const { simulator, state, called, calls } = await setUp(t)
  state.failures = 2
  const attempt = attemptTo('+4712345678')
  await simulator.send(attempt, NEVER_ABORTED)
  await called(3)
  assert.ok(calls.every(([receipt]) => receipt?.ref.messageId === attempt.ref.messageId))
})

test('a clock that is set back delays no receipt', async (t) => {
  let offset = 0
  const { simulator, has, receipts } = await setUp(t, { clock: () => instant(Date.now() + offset) })
  await simulator.send(attemptTo('+4712345678'), NEVER_ABORTED)
  await has(1)
  offset = -3_600_000
  const attempt = attemptTo('+4712345678')
  await simulator.send(attempt, NEVER_ABORTED)
  await has(2)
  assert.deepEqual(receipts()[1]?.ref, attempt.ref)
})

test('receives and reports two thousand concurrent sends, in few reports', async (t) => {
  const { simulator, has, receipts, calls } = await setUp(t)
  const attempts = Array.from({ length: 2000 }, (_, index) => attemptTo(`+47${10_000_000 + index}`))
  const outcomes = await Promise.all(attempts.map((attempt) => simulator.send(attempt, NEVER_ABORTED)))
  assert.ok(outcomes.every(({ kind }) => kind === 'accepted'))
  await has(2000)
  assert.equal(new Set(receipts().map(({ reportId }) => reportId)).size, 2000)
  assert.ok(calls.length < 100, `${calls.length} reports`)
  assert.deepEqual((await received(simulator)).toSorted(), attempts.map(({ id }) => id).toSorted())
})

test('finds old messages', async (t) => {
  const { simulator } = await setUp(t)
  const first = attemptTo('+4799999999')
  await simulator.send(first, NEVER_ABORTED)
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 3000 }, () => simulator.send(attemptTo('+4712345678'), NEVER_ABORTED)))
  }
  const again = attemptTo('+4799999999')
  await simulator.send(again, NEVER_ABORTED)
  assert.deepEqual(await received(simulator, '+4799999999'), [again.id, first.id])
  assert.equal((await received(simulator, '+4712345678')).length, 9000)
  assert.equal((await simulator.lookup(first.ref, first.id)).kind, 'found')
  assert.equal((await simulator.lookup(again.ref, again.id)).kind, 'found')
})

test('defers messages while the file cannot be written', async (t) => {
  const { simulator, path, has } = await setUp(t)
  using other = new DatabaseSync(path)
  other.exec('begin immediate')
  assert.equal(summary(await simulator.send(attemptTo('+4712345678'), NEVER_ABORTED)), 'deferred SIMULATOR_UNAVAILABLE')
  other.exec('rollback')
  const attempt = attemptTo('+4712345678')
  assert.equal(summary(await simulator.send(attempt, NEVER_ABORTED)), 'accepted')
  assert.deepEqual(await received(simulator), [attempt.id])
  await has(1)
})

test('receives a batch completely or not at all', async (t) => {
  const { simulator, path } = await setUp(t)
  const both = (): Promise<string[]> =>
    Promise.all(
      ['+4711111111', '+4722222222'].map(async (to) => summary(await simulator.send(attemptTo(to), NEVER_ABORTED))),
    )
  using other = new DatabaseSync(path)
  other.exec(`create trigger no_room before insert on inbox when new.recipient = '+4722222222'
    begin select raise(fail, 'no room'); end`)
  assert.deepEqual(await both(), ['deferred SIMULATOR_UNAVAILABLE', 'deferred SIMULATOR_UNAVAILABLE'])
  assert.deepEqual(await received(simulator), [])
  other.exec('drop trigger no_room')
  assert.deepEqual(await both(), ['accepted', 'accepted'])
})

test('rejects a file that cannot be opened', async () => {
  await assert.rejects(openSimulator({ path: '/nowhere/simulator.db', clock, report: async () => {} }))
})

test('a carrier reports whether it is open', async (t) => {
  const carrier = await openCarrier({ path: await newPath(t), clock, report: async () => {} })
  assert.equal(carrier.isOpen(), true)
  await carrier[Symbol.asyncDispose]()
  assert.equal(carrier.isOpen(), false)
})

test('disposing ends the calls in flight', async (t) => {
  const { simulator } = await setUp(t, {
    slow: seconds(60),
    limbo: seconds(60),
    report: () => new Promise(() => {}),
  })
  const slow = simulator.send(attemptTo('+15005550009'), NEVER_ABORTED)
  const limbo = simulator.send(attemptTo('+15005550005'), NEVER_ABORTED)
  const noisy = simulator.send(attemptTo('+15005550008'), NEVER_ABORTED)
  assert.equal((await received(simulator)).length, 2)
  await simulator[Symbol.asyncDispose]()
  assert.deepEqual((await Promise.all([slow, limbo, noisy])).map(summary), [
    'deferred ABORTED',
    'unknown TIMEOUT',
    'accepted',
  ])
  assert.equal(summary(await simulator.send(attemptTo('+4712345678'), NEVER_ABORTED)), 'deferred ABORTED')
})

test('a report that never ends delays disposing by a second at most, and is repeated later', async (t) => {
  const hanging = Promise.withResolvers<void>()
  const report = async (): Promise<void> => {
    hanging.resolve()
    await new Promise(() => {})
  }
  const { simulator, path } = await setUp(t, { report })
  const attempt = attemptTo('+4712345678')
  await simulator.send(attempt, NEVER_ABORTED)
  await hanging.promise
  await simulator[Symbol.asyncDispose]()

  const { has, receipts } = await setUp(t, { path })
  await has(1)
  assert.deepEqual(receipts()[0]?.ref, attempt.ref)
})
