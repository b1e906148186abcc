/** The tests of finding overdue messages: those that wait for a worker or for a delivery report. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MessageId } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import type { Message } from '../domain/message/message.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Instant, later, millis, seconds } from '../lib/time.ts'
import type { OpenFilled } from './filled-index.contract.ts'
import type { MessageIndex, OverdueQuery } from './message-index.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  DEAD,
  delivered,
  earlier,
  hours,
  NOON,
  retryAt,
  someMessage,
  stateAfter,
  tenant,
  unknownUntil,
} from './samples.contract.ts'

const HANDED_OFF = [ATTEMPTED, ACCEPTED]
const REPORTED: Fact = { kind: 'ProviderAccepted', reportId: 'r' }

export function messageOverdueContract(engine: string, open: OpenFilled): void {
  describe(`overdue messages on ${engine}`, { timeout: 120_000 }, () => {
    test('silent messages are handed off and have no final report', async () => {
      await using opened = await open()
      const { index, put } = opened
      const [newest, oldest] = await put(
        { facts: HANDED_OFF },
        { facts: [...HANDED_OFF, REPORTED], message: { ...ago(5), tenantId: tenant('south') } },
        { facts: [...HANDED_OFF, delivered()], message: ago(5) },
        { facts: [ATTEMPTED, DEAD], message: ago(5) },
        { facts: [ATTEMPTED], message: ago(5) },
      )
      const silent = (through: Instant, limit = 9) => idsOf(index, { kind: 'silent', through, limit })
      assert.deepEqual(await silent(later(NOON, seconds(2))), [oldest, newest])
      assert.deepEqual(await silent(later(NOON, seconds(2)), 1), [oldest])
      assert.deepEqual(await silent(later(NOON, millis(1_999))), [oldest])
      assert.deepEqual(await silent(earlier(NOON, hours(6))), [])
    })

    test('a message is silent since its hand-off, whatever intermediate reports arrive', async () => {
      await using opened = await open()
      const { index, put, happen } = opened
      const message = someMessage()
      await put({ message, facts: HANDED_OFF })
      const handedOffAt = stateAfter(message, HANDED_OFF).handedOffAt ?? NOON
      const range = { kind: 'silent', after: later(handedOffAt, millis(-1)), through: handedOffAt, limit: 9 } as const
      const more: readonly Fact[] = [REPORTED, { kind: 'MessageErased' }]
      assert.deepEqual(await index.overdue(range), { states: [stateAfter(message, HANDED_OFF)] })
      for (const [nth, fact] of more.entries()) {
        await happen(message.id, fact)
        const state = stateAfter(message, [...HANDED_OFF, ...more.slice(0, nth + 1)])
        assert.deepEqual(await index.overdue(range), { states: [state] })
      }
    })

    test('stalled messages have a due job that did not run', async () => {
      await using opened = await open()
      const { index, put } = opened
      const [queued, sending, retry, unknown] = await put(
        { message: ago(1) },
        { message: { ...ago(2), tenantId: tenant('south') }, facts: [ATTEMPTED] },
        { message: ago(9), facts: [ATTEMPTED, retryAt(earlier(NOON, hours(3)))] },
        { message: ago(9), facts: [ATTEMPTED, unknownUntil(earlier(NOON, hours(4)))] },
        { message: ago(9), facts: [ATTEMPTED, retryAt(later(NOON, hours(1)))] },
        { message: ago(9), facts: HANDED_OFF },
        { message: ago(9), facts: [ATTEMPTED, DEAD] },
        { message: { createdAt: NOON } },
      )
      const stalled = (through: Instant, limit = 9) => idsOf(index, { kind: 'stalled', through, limit })
      assert.deepEqual(await stalled(later(NOON, millis(-1))), [unknown, retry, sending, queued])
      assert.deepEqual(await stalled(later(NOON, millis(-1)), 2), [unknown, retry])
      assert.deepEqual(await stalled(earlier(NOON, millis(hours(1) + 1))), [unknown, retry, sending])
      const { states } = await index.overdue({ kind: 'stalled', through: NOON, limit: 1 })
      assert.equal(states[0]?.phase, 'unknown')
    })

    test('a range excludes its beginning and includes its end', async () => {
      await using opened = await open()
      const { index, put } = opened
      const [before, within, end] = await put({ message: ago(3) }, { message: ago(2) }, { message: ago(1) })
      const range = { kind: 'stalled', after: earlier(NOON, hours(3)), through: earlier(NOON, hours(1)) } as const
      assert.deepEqual(await idsOf(index, { ...range, limit: 9 }), [within, end])
      const sooner = { ...range, after: earlier(NOON, millis(hours(3) + 1)) }
      assert.deepEqual(await idsOf(index, { ...sooner, limit: 9 }), [before, within, end])
      const empty = { kind: 'stalled', after: NOON, through: NOON, limit: 9 } as const
      assert.deepEqual(await index.overdue(empty), { states: [] })
    })

    test('paging returns each message once, also with equal times, whatever happens to others', async () => {
      await using opened = await open()
      const { index, put, happen } = opened
      const stories = Array.from({ length: 11 }, (_, nth) => ({
        facts: HANDED_OFF,
        message: { createdAt: later(NOON, seconds(Math.floor(nth / 4))) },
      }))
      const ids = await put(...stories)
      const met: MessageId[] = []
      const query = {
        kind: 'silent',
        after: earlier(NOON, hours(1)),
        through: later(NOON, hours(1)),
        limit: 3,
      } as const
      let cursor: string | undefined
      do {
        const page = await index.overdue(omitUndefined({ ...query, cursor }))
        met.push(...page.states.map(({ id }) => id))
        // Meanwhile reports arrive for the messages of this page.
        for (const [nth, { id }] of page.states.entries()) await happen(id, nth % 2 === 0 ? delivered() : REPORTED)
        cursor = page.nextCursor
      } while (cursor !== undefined)
      assert.deepEqual(met.toSorted(), ids.toSorted())
      assert.ok(met.length > query.limit)
    })
  })
}

const ago = (count: number): Partial<Message> => ({ createdAt: earlier(NOON, hours(count)) })

const idsOf = async (index: MessageIndex, query: OverdueQuery): Promise<MessageId[]> =>
  (await index.overdue(query)).states.map(({ id }) => id)
