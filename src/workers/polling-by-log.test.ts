/** Polling while the index is unavailable: silent messages are found in the log. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import type { MessageId } from '../domain/ids.ts'
import { toStatus } from '../domain/message/states.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { inProcessRoundLock } from '../engines/shared/in-process-round-lock.ts'
import { erase } from '../flows/admin/erase.ts'
import { ACCEPTS, fakeProvider, openGateway, receiptOf, START, TENANT, TRACE } from '../flows/gateway.fixture.ts'
import { applyReceipt } from '../flows/receive/apply-receipt.ts'
import { seconds } from '../lib/time.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { MessageIndex } from '../ports/message-index.ts'
import type { LookupResult } from '../ports/provider.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { Polling } from './polling.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

/** A gateway whose index can be made unavailable, a provider that reports only when polled, and the polls it got. */
function openSilence({ answer = 'undetermined' }: { answer?: 'undetermined' | 'delivered' | Unavailable } = {}) {
  const asked: (readonly [id: MessageId, after: number])[] = []
  const provider = fakeProvider(Array(40).fill(ACCEPTS), {
    lookup: async (ref): Promise<LookupResult> => {
      asked.push([ref.messageId, (gateway.clock() - START) / 1000])
      if (answer instanceof Unavailable) throw answer
      if (answer === 'undetermined') return { kind: answer }
      return { kind: 'found', receipt: { ref, providerMessageId: 'SM1', state: answer, reportId: 'looked up' } }
    },
  })
  const gateway = openGateway(world, { providers: [provider] })
  const weather = { isAway: false }
  let followers = 0
  const log: EventLog = {
    ...gateway.deps.log,
    async *changes(...args) {
      followers += 1
      try {
        yield* gateway.deps.log.changes(...args)
      } finally {
        followers -= 1
      }
    },
  }
  const polling = new Polling({
    ...gateway.deps,
    log,
    index: fickle(gateway.deps.index, weather),
    rounds: inProcessRoundLock(),
  })
  return {
    ...gateway,
    weather,
    polling,
    followers: () => followers,
    async handOff(): Promise<MessageId> {
      const id = await gateway.submit()
      await gateway.work()
      return id
    },
    askedAfter: (id: MessageId) => asked.flatMap(([messageId, after]) => (messageId === id ? [after] : [])),
    /** Advances the clock, with a round every few seconds. */
    async poll(forSeconds: number, everySeconds = 5): Promise<void> {
      for (let passed = 0; passed < forSeconds; passed += everySeconds) {
        gateway.pass(seconds(everySeconds))
        await polling.round()
      }
    },
    [Symbol.asyncDispose]: () => polling[Symbol.asyncDispose](),
  }
}

const fickle = (index: MessageIndex, weather: Readonly<{ isAway: boolean }>): MessageIndex => {
  const orAway = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    weather.isAway ? Promise.reject(new Unavailable('the index is unavailable')) : ask()
  return {
    ...index,
    overdue: (query) => orAway(() => index.overdue(query)),
    position: () => orAway(() => index.position()),
  }
}

test('messages handed off before and during an index outage are polled at the usual times, for three hours', async () => {
  await using silence = openSilence()
  const { handOff, poll, weather, askedAfter } = silence
  const before = await handOff()
  await poll(20)
  weather.isAway = true
  await poll(20)
  const during = await handOff()
  await poll(20_000, 10)
  assert.deepEqual(askedAfter(before), [30, 150, 750, 2550, 9750])
  assert.deepEqual(askedAfter(during), [70, 190, 790, 2590, 9790])
})

test('records the answer of the provider, and does not poll again', async () => {
  await using silence = openSilence({ answer: 'delivered' })
  const { handOff, poll, weather, askedAfter, stateOf } = silence
  weather.isAway = true
  const id = await handOff()
  await poll(1_000)
  assert.deepEqual(askedAfter(id), [30])
  assert.equal(toStatus(await stateOf(id)), 'delivered')
})

test('a message that cannot be updated without the database does not delay others', async () => {
  const fault = new Unavailable('the database is unreachable')
  await using silence = openSilence({ answer: fault })
  const { handOff, pass, weather, askedAfter, polling } = silence
  weather.isAway = true
  // More than are polled at once.
  const ids: MessageId[] = []
  for (let n = 0; n < 40; n += 1) ids.push(await handOff())
  await polling.round()
  pass(seconds(30))
  await assert.rejects(polling.round(), fault)
  for (const id of ids) assert.deepEqual(askedAfter(id), [30])
})

test('does not poll a message that was reported or erased', async () => {
  await using silence = openSilence()
  const { handOff, poll, weather, askedAfter, stateOf, deps } = silence
  const [reported, erased] = [await handOff(), await handOff()]
  weather.isAway = true
  await poll(5)
  await applyReceipt(deps, receiptOf(await stateOf(reported), 'delivered'))
  await erase(deps, { tenantId: TENANT, id: erased, traceId: TRACE })
  await poll(200)
  for (const id of [reported, erased]) assert.deepEqual(askedAfter(id), [])
})

test('when the index is back it is used again, and the log is no longer followed', async () => {
  await using silence = openSilence()
  const { handOff, poll, project, weather, askedAfter, followers } = silence
  const id = await handOff()
  await project()
  await poll(25)
  assert.equal(followers(), 0)
  weather.isAway = true
  await poll(10)
  assert.equal(followers(), 1)
  assert.deepEqual(askedAfter(id), [30])
  weather.isAway = false
  await poll(5)
  assert.equal(followers(), 0)
  // Rounds that may have missed messages are repeated once.
  assert.deepEqual(askedAfter(id), [30, 40])
  await poll(120)
  assert.deepEqual(askedAfter(id), [30, 40, 150])
})

test('an index that has not caught up after an outage does not hide messages sent meanwhile', async () => {
  await using silence = openSilence()
  const { handOff, poll, project, weather, askedAfter, followers } = silence
  weather.isAway = true
  await poll(5)
  const id = await handOff()
  await poll(5)
  weather.isAway = false
  await poll(60)
  assert.deepEqual(askedAfter(id), [35])
  assert.equal(followers(), 1)
  await project()
  await poll(5)
  assert.equal(followers(), 0)
})

test('a process that no longer gets to run a round stops following the log too', async () => {
  await using silence = openSilence()
  const { handOff, poll, project, weather, followers, polling } = silence
  await handOff()
  await project()
  weather.isAway = true
  await poll(10)
  assert.equal(followers(), 1)
  weather.isAway = false
  // Too soon after the last round for one of its own.
  await polling.round()
  assert.equal(followers(), 0)
})

test('messages that could not be polled before the log was read are polled afterwards', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const silence = openSilence()
  const { handOff, pass, askedAfter, deps } = silence
  const id = await handOff()
  const log: EventLog = {
    ...deps.log,
    async *changes(...args) {
      await gate
      yield* deps.log.changes(...args)
    },
  }
  const index = fickle(deps.index, { isAway: true })
  await using polling = new Polling({ ...deps, log, index, rounds: inProcessRoundLock() })
  pass(seconds(20))
  await polling.round()
  pass(seconds(15))
  await polling.round()
  assert.deepEqual(askedAfter(id), [])
  open()
  pass(seconds(5))
  await polling.round()
  assert.deepEqual(askedAfter(id), [40])
})
