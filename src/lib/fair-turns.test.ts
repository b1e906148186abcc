import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { FairTurns, type FairTurnsOptions, type Release } from './fair-turns.ts'

/** Acts that run until they are told to end, and the order in which they began. */
function openActs(options: FairTurnsOptions) {
  const turns = new FairTurns<string>(options)
  const began: string[] = []
  const running: { key: string; release: Release }[] = []
  return {
    turns,
    began,
    running,
    async ask(key: string, signal?: AbortSignal): Promise<string> {
      const turn = await turns.take(key, signal === undefined ? {} : { signal })
      if (turn.kind !== 'taken') return turn.kind === 'refused' ? `refused by ${turn.by}` : turn.kind
      began.push(key)
      running.push({ key, release: turn.release })
      return turn.kind
    },
    async endNext(): Promise<void> {
      running.shift()?.release()
      await nextTurn()
    },
  }
}

test('a key with many acts delays another by one of them at most', async () => {
  const acts = openActs({ atOnce: 1, waiting: 100 })
  for (let n = 0; n < 10; n += 1) void acts.ask('many')
  await nextTurn()
  void acts.ask('one')
  void acts.ask('other')
  await acts.endNext()
  await acts.endNext()
  await acts.endNext()
  assert.deepEqual(acts.began, ['many', 'one', 'other', 'many'])
})

test('a key has at most its share at once, also while there is room', async () => {
  const acts = openActs({ atOnce: 4, atOncePerKey: 2, waiting: 100 })
  for (let n = 0; n < 5; n += 1) void acts.ask('a')
  await nextTurn()
  assert.deepEqual(acts.began, ['a', 'a'])
  assert.equal(await acts.ask('b'), 'taken')
  await acts.endNext()
  assert.deepEqual(acts.began, ['a', 'a', 'b', 'a'])
})

test('a key that has used more than its share rests while another is active', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  context.mock.method(performance, 'now', () => now)
  const pass = async (millis: number): Promise<void> => {
    now += millis
    context.mock.timers.tick(millis)
    await nextTurn()
  }
  const acts = openActs({ atOnce: 1, waiting: 100, busyShare: 0.5 })
  const begins = async (...keys: string[]): Promise<void> => {
    await nextTurn()
    assert.deepEqual(acts.began.splice(0), keys)
  }
  for (const key of ['a', 'a', 'a', 'a', 'a', 'b', 'b']) void acts.ask(key)
  await begins('a')
  await pass(200)
  await acts.endNext()
  await begins('b')
  await pass(20)
  await acts.endNext()
  await begins('a')
  await pass(60)
  await acts.endNext()
  await begins('b')
  await pass(10)
  await acts.endNext()
  await begins()
  await pass(89)
  await begins()
  await pass(1)
  await begins('a')
})

test('acts beyond the bounds are refused, by their key or by all', async () => {
  const acts = openActs({ atOnce: 1, waiting: 3, waitingPerKey: 2 })
  for (const key of ['a', 'a', 'a']) void acts.ask(key)
  await nextTurn()
  assert.equal(await acts.ask('a'), 'refused by key')
  void acts.ask('b')
  await nextTurn()
  assert.equal(await acts.ask('c'), 'refused by all')
})

test('one who leaves while waiting takes no turn', async () => {
  const acts = openActs({ atOnce: 1, waiting: 3 })
  const leaving = new AbortController()
  void acts.ask('a')
  const left = acts.ask('b', leaving.signal)
  void acts.ask('c')
  await nextTurn()
  leaving.abort()
  assert.equal(await left, 'left')
  assert.equal(await acts.ask('d', AbortSignal.abort()), 'left')
  await acts.endNext()
  assert.deepEqual(acts.began, ['a', 'c'])
})

test('waiting ends after the given time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const turns = new FairTurns<string>({ atOnce: 1, waiting: 1 })
  assert.ok(turns.tryTake('a'))
  const waiting = turns.take('a', { withinMs: 1000 })
  t.mock.timers.tick(1000)
  assert.deepEqual(await waiting, { kind: 'left' })
})

test('a release counts once', () => {
  const turns = new FairTurns<string>({ atOnce: 1, waiting: 1 })
  const release = turns.tryTake('a')
  release?.()
  release?.()
  assert.ok(turns.tryTake('a'))
  assert.equal(turns.tryTake('a'), undefined)
})

test('never more than the bounds run, and everyone who waits gets a turn', async () => {
  const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constant('end' as const)), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      steps,
      async (atOnce, each, all) => {
        const acts = openActs({ atOnce, atOncePerKey: each, waiting: 100 })
        for (const step of all) {
          if (step === 'end') await acts.endNext()
          else void acts.ask(step)
          await nextTurn()
          assert.ok(acts.running.length <= atOnce)
          for (const key of ['a', 'b', 'c']) assert.ok(acts.running.filter((act) => act.key === key).length <= each)
        }
        while (acts.running.length > 0) await acts.endNext()
        assert.equal(acts.began.length, all.filter((step) => step !== 'end').length)
      },
    ),
    { numRuns: 50 },
  )
})
