import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Past } from '../../bench/stored/past.ts'
import { pastDay } from '../../demo/past-day.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { toStatus } from '../../src/domain/message/states.ts'
import { openIds } from '../../src/engines/crypto/ids.ts'
import { toEvent } from '../../src/flows/record.ts'
import { toCreated } from '../../src/flows/send/accept.ts'
import { type Instant, later, seconds } from '../../src/lib/time.ts'
import type { EventLog } from '../../src/ports/event-log.ts'
import { NOON } from '../../src/ports/samples.contract.ts'

const HALF_HOUR = 30 * 60 * 1000
const DAY = 48 * HALF_HOUR
const ids = openIds()
const log = {} as EventLog

const DEPS = { log, ids, clock: () => NOON }

/** The state after everything that happened. */
function stateOf({ createdAt, submission, happened }: Past): MessageState {
  const created = toCreated({ ...DEPS, clock: () => createdAt }, submission, 0).state
  return happened.reduce(
    (state, { fact, after }) => toEvent({ ...DEPS, clock: () => later(createdAt, after) }, state, fact, {}).state,
    created,
  )
}

const tally = <Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | number,
): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(items, keyOf)].map(([key, { length }]) => [key, length]))

const all = [...pastDay(NOON)]
const states = all.map(stateOf)

test('all has happened within the last day, in order, and every message has ended', () => {
  const times = all.map(({ createdAt }) => createdAt)
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  )
  assert.ok((times[0] ?? 0) >= NOON - DAY)
  for (const { updatedAt, dueAt, phase, handoffState } of states) {
    assert.ok(updatedAt <= NOON)
    assert.deepEqual([dueAt, phase, handoffState === 'sending'], [undefined, 'closed', false])
  }
})

test('every half hour has SMS and mail, delivered and failed, and codes without their text', () => {
  const halfHour = ({ createdAt }: Readonly<{ createdAt: Instant }>): number =>
    Math.floor((createdAt - NOON) / HALF_HOUR)
  for (const channel of ['sms', 'email']) {
    const byHalfHour = tally(
      states.filter((state) => state.channel === channel),
      halfHour,
    )
    assert.equal(Object.keys(byHalfHour).length, 48, channel)
  }
  const statuses = tally(states, toStatus)
  assert.deepEqual(Object.keys(statuses).toSorted(), ['delivered', 'expired', 'failed'])
  assert.ok((statuses['delivered'] ?? 0) > 0.9 * states.length && (statuses['failed'] ?? 0) > 0.01 * states.length)
  assert.ok(states.filter(({ dead }) => dead).length > 50)
  const codes = states.filter(({ lane }) => lane === 'otp')
  assert.ok(codes.length > 1_000 && codes.every(({ erased, recipientKept }) => erased && recipientKept === true))
})

test('the day is the same in every run, except that it ends now', () => {
  const until = later(NOON, seconds(7 * 24 * 60 * 60 + 1_000))
  const shapeOf = (past: Past, end: Instant) => {
    const { tenantId, lane, content } = past.submission
    return JSON.stringify([
      end - past.createdAt,
      tenantId,
      lane,
      content.channel,
      past.happened.map(({ fact, after }) => [fact.kind, after]),
    ])
  }
  const [one, other] = [all.map((past) => shapeOf(past, NOON)), [...pastDay(until)].map((past) => shapeOf(past, until))]
  // Each begins with a half hour of the clock.
  const length = Math.min(one.length, other.length)
  assert.ok(length > 15_000)
  const [last, otherLast] = [one.slice(-length), other.slice(-length)]
  const differing = last.findIndex((shape, n) => shape !== otherLast[n])
  assert.equal(last[differing], otherLast[differing])
})
