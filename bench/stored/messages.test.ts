import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../../src/domain/message/message.ts'
import { fold, toFirstState } from '../../src/domain/message/state.ts'
import { toStatus } from '../../src/domain/message/states.ts'
import { openIds } from '../../src/engines/crypto/ids.ts'
import { toCreated } from '../../src/flows/send/accept.ts'
import { later } from '../../src/lib/time.ts'
import type { EventLog } from '../../src/ports/event-log.ts'
import { NOON } from '../../src/ports/samples.contract.ts'
import { type Corpus, createdAt, factsOf, recipientOf, submissionOf } from './messages.ts'

const CORPUS: Corpus = { messages: 10_000, until: NOON }
const ids = openIds()
const numbers = Array.from({ length: CORPUS.messages }, (_, n) => n)

function stateOf(n: number) {
  const clock = () => createdAt(CORPUS, n)
  const message: Message = toCreated({ ids, clock, log: {} as EventLog }, submissionOf(CORPUS, n, ids), 0).state
  return factsOf(CORPUS, n).reduce(
    (state, { fact, after }) => fold(state, fact, { at: later(clock(), after), cycle: 1, attempt: 1 }),
    toFirstState(message),
  )
}

test('every message has ended: one in 200 failed, one in 1,000 is dead, one in 5,000 unresolved', () => {
  const states = numbers.map(stateOf)
  const count = (isSo: (state: (typeof states)[number]) => boolean): number => states.filter(isSo).length
  assert.equal(
    count(({ dueAt, handoffState }) => dueAt !== undefined || handoffState === 'sending'),
    0,
  )
  assert.equal(
    count(({ dead }) => dead),
    12,
  )
  assert.equal(
    count(({ phase }) => phase === 'unknown'),
    2,
  )
  assert.equal(
    count((state) => toStatus(state) === 'failed'),
    62,
  )
  assert.equal(
    count((state) => toStatus(state) === 'delivered'),
    9_938,
  )
})

test('messages are spread over 30 days, and ten go to each recipient', () => {
  const times = numbers.map((n) => createdAt(CORPUS, n))
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  )
  assert.equal((NOON - (times[0] ?? 0)) / 86_400_000, 30)
  assert.ok((times.at(-1) ?? 0) < NOON)
  assert.equal(new Set(numbers.map((n) => recipientOf(CORPUS, n))).size, 1_000)
})
