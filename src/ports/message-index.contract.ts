/** The tests every index must pass: it only moves forward, finds the right messages, and erases personal data. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fold } from '../domain/message/state.ts'
import { later, seconds } from '../lib/time.ts'
import { START } from './event-log.ts'
import { at, idsOf, rowOf, search, someProjection } from './index-samples.contract.ts'
import { messageFiguresContract } from './message-figures.contract.ts'
import { messageOverdueContract } from './message-overdue.contract.ts'
import { messageSearchContract } from './message-search.contract.ts'
import { ACCEPTED, ATTEMPTED, hours, NOON, type Open, someMessage, stateAfter, stopped } from './samples.contract.ts'

export function messageIndexContract(engine: string, open: Open<'index'>): void {
  describe(`message index on ${engine}`, { timeout: 120_000 }, () => {
    test('an empty index has no messages and is at the start', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      assert.equal(await index.position(), START)
      assert.deepEqual(await search(index), [])
    })

    test('lists a message in its newest state, with its searchable fields', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const message = someMessage()
      const first = someProjection({ message }, 3)
      await index.apply([first], at(3))
      assert.deepEqual(await search(index), [rowOf(first)])
      const state = stateAfter(message, [ATTEMPTED, ACCEPTED])
      await index.apply([{ state, position: at(7) }], at(9))
      assert.deepEqual(await search(index), [{ state, searchable: first.searchable }])
      assert.equal(await index.position(), 9)
    })

    test('the searchable fields may come with a later event', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const { state: created, searchable } = someProjection({}, 1)
      await index.apply([{ state: created, position: at(1) }], at(1))
      const state = stateAfter(created, [ATTEMPTED])
      await index.apply([{ state, position: at(2), searchable }], at(2))
      assert.deepEqual(await search(index), [{ state, searchable }])
    })

    test('of several events of a message in one page the newest is applied', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const first = someProjection({}, 1)
      const state = stateAfter(first.state, [ATTEMPTED])
      await index.apply([first, { state, position: at(2) }], at(2))
      assert.deepEqual(await search(index), [{ state, searchable: first.searchable }])
    })

    test('repeated and late projections change nothing', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const first = someProjection({}, 1)
      const state = stateAfter(first.state, [ATTEMPTED])
      const newer = { state: stateAfter(first.state, [ATTEMPTED, ACCEPTED]), position: at(3) }
      await index.apply([first, newer], at(5))
      for (const late of [first, { state, position: at(2) }, { ...newer, state }]) await index.apply([late], at(4))
      await index.apply([], at(2))
      assert.deepEqual(await search(index), [{ state: newer.state, searchable: first.searchable }])
      assert.equal(await index.position(), 5)
      await index.apply([], at(6))
      assert.equal(await index.position(), 6)
    })

    test('a tombstone deletes the searchable fields and keeps the states', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const copyKeys = ['a copy', 'another']
      const first = someProjection({ copyKeys }, 1)
      const { state, searchable } = first
      await index.apply(
        [first, someProjection({ message: { createdAt: later(NOON, seconds(1)) }, copyKeys }, 2)],
        at(2),
      )
      await index.tombstone(state.id)
      await index.tombstone(someMessage().id)
      const hidden = async (): Promise<void> => {
        const keys = [searchable.toKey, ...copyKeys].map((toKey) => ({ toKey }))
        for (const filter of [{ text: 'welcome' }, { tag: 'welcome' }, ...keys]) {
          assert.ok(!idsOf(await search(index, filter)).includes(state.id))
          assert.equal((await search(index, filter)).length, 1)
        }
      }
      await hidden()
      assert.deepEqual((await search(index))[1], { state })
      await index.apply([first], at(2))
      const sent = stateAfter(state, [ATTEMPTED])
      await index.apply([{ state: sent, position: at(3) }], at(3))
      await hidden()
      assert.deepEqual((await search(index))[1], { state: sent })
    })

    test('an erased message loses its searchable fields without a tombstone, and is still listed', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const message = someMessage()
      const state = stateAfter(message, [{ kind: 'MessageErased' }])
      await index.apply([someProjection({ message, copyKeys: ['a copy'] }, 1)], at(1))
      await index.apply([{ state, position: at(2) }], at(2))
      assert.deepEqual(await search(index), [{ state }])
      for (const filter of [{ text: 'welcome' }, { toKey: 'a copy' }]) assert.deepEqual(await search(index, filter), [])
      await index.clear()
      await index.apply([{ state, position: at(2) }], at(2))
      assert.deepEqual(await search(index), [{ state }])
    })

    test('a message with an ended code is found by its recipient until it is erased completely', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const first = someProjection({}, 1)
      const { searchable } = first
      const ended = stateAfter(first.state, [{ kind: 'MessageErased', kept: 'recipient' }])
      const find = () => search(index, { toKey: searchable.toKey })
      await index.apply([first], at(1))
      await index.apply([{ state: ended, position: at(2) }], at(2))
      assert.deepEqual(await find(), [{ state: ended, searchable }])
      await index.clear()
      await index.apply([{ state: ended, position: at(2), searchable }], at(2))
      assert.deepEqual(await find(), [{ state: ended, searchable }])

      const erased = fold(ended, { kind: 'MessageErased' }, { at: ended.updatedAt, cycle: 1, attempt: 0 })
      await index.apply([{ state: erased, position: at(3), searchable }], at(3))
      assert.deepEqual(await find(), [])
      assert.deepEqual(await search(index), [{ state: erased }])
    })

    test('a cleared index can be rebuilt from the start of the log', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const first = someProjection({}, 1)
      await index.apply([first, someProjection({ copyKeys: ['a copy'] }, 2)], at(2))
      await index.clear()
      assert.deepEqual(await search(index, { toKey: 'a copy' }), [])
      assert.equal(await index.position(), START)
      assert.deepEqual(await search(index), [])
      assert.deepEqual(await search(index, { text: 'welcome' }), [])
      const stalled = await index.overdue({ kind: 'stalled', through: later(NOON, hours(9)), limit: 9 })
      assert.deepEqual(stalled, { states: [] })
      await index.apply([first], at(1))
      assert.deepEqual(await search(index, { text: 'welcome' }), [rowOf(first)])
      assert.equal(await index.position(), 1)
    })
  })

  messageSearchContract(engine, open)
  messageFiguresContract(engine, open)
  messageOverdueContract(engine, open)
}
