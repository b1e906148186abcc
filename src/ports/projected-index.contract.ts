/** The tests every index that a projector writes must pass: it only moves forward, and can be rebuilt. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EmailAddress } from '../domain/email/address.ts'
import { toSummary } from '../domain/message/searchable.ts'
import { later } from '../lib/time.ts'
import { START } from './event-log.ts'
import { projectedIndex } from './filled-index.contract.ts'
import { at, keyOf, rowOf, search, someProjection } from './index-samples.contract.ts'
import { messageIndexContract } from './message-index.contract.ts'
import type { ProjectedIndex } from './message-index.ts'
import { ACCEPTED, ATTEMPTED, foldNext, hours, NOON, someMessage, stateAfter } from './samples.contract.ts'

type Open = () => Promise<AsyncDisposable & Readonly<{ index: ProjectedIndex }>>

const EVA = 'eva@example.com' as EmailAddress
const TO_EVA = { mail: { cc: [{ address: EVA }] } }

export function projectedIndexContract(engine: string, open: Open): void {
  messageIndexContract(engine, async () => projectedIndex(await open()))

  describe(`index writer on ${engine}`, { timeout: 120_000 }, () => {
    test('the position is how far the log has been read, whatever it contained', async () => {
      await using opened = await open()
      const { index } = opened
      await index.apply([someProjection({}, 3)], at(3))
      assert.equal(await index.position(), 3)
      await index.apply([someProjection({}, 7)], at(9))
      assert.equal(await index.position(), 9)
    })

    test('the searchable fields may come with a later event', async () => {
      await using opened = await open()
      const { index } = opened
      const { state: created, searchable } = someProjection({}, 1)
      await index.apply([{ state: created, position: at(1) }], at(1))
      const state = stateAfter(created, [ATTEMPTED])
      await index.apply([{ state, position: at(2), searchable }], at(2))
      assert.deepEqual(await search(index), [{ state, searchable: toSummary(searchable) }])
    })

    test('of several events of a message in one page the newest is applied', async () => {
      await using opened = await open()
      const { index } = opened
      const first = someProjection({}, 1)
      const state = stateAfter(first.state, [ATTEMPTED])
      await index.apply([first, { state, position: at(2) }], at(2))
      assert.deepEqual(await search(index), [{ state, searchable: toSummary(first.searchable) }])
    })

    test('repeated and late projections change nothing', async () => {
      await using opened = await open()
      const { index } = opened
      const first = someProjection({}, 1)
      const state = stateAfter(first.state, [ATTEMPTED])
      const newer = { state: stateAfter(first.state, [ATTEMPTED, ACCEPTED]), position: at(3) }
      await index.apply([first, newer], at(5))
      for (const late of [first, { state, position: at(2) }, { ...newer, state }]) await index.apply([late], at(4))
      await index.apply([], at(2))
      assert.deepEqual(await search(index), [{ state: newer.state, searchable: toSummary(first.searchable) }])
      assert.equal(await index.position(), 5)
      await index.apply([], at(6))
      assert.equal(await index.position(), 6)
    })

    test('a repeated projection does not bring back what a tombstone deleted', async () => {
      await using opened = await open()
      const { index } = opened
      const first = someProjection(TO_EVA, 1)
      const { state, searchable } = first
      await index.apply([first], at(1))
      await index.tombstone(state.id)
      await index.apply([first], at(1))
      assert.deepEqual(await search(index), [{ state }])
      for (const filter of [
        { text: 'welcome' },
        { tag: 'welcome' },
        { toKey: searchable.toKey },
        { toKey: keyOf(EVA) },
      ]) {
        assert.deepEqual(await search(index, filter), [])
      }
    })

    test('an erased message stays erased in a rebuilt index', async () => {
      await using opened = await open()
      const { index } = opened
      const message = someMessage()
      const erased = { state: stateAfter(message, [{ kind: 'MessageErased' }]), position: at(2) }
      await index.apply([someProjection({ message, ...TO_EVA }, 1), erased], at(2))
      await index.clear()
      await index.apply([erased], at(2))
      assert.deepEqual(await search(index), [{ state: erased.state }])
    })

    test('a message with an ended code is found by its recipient in a rebuilt index, until it is erased', async () => {
      await using opened = await open()
      const { index } = opened
      const first = someProjection({}, 1)
      const { searchable } = first
      const ended = stateAfter(first.state, [{ kind: 'MessageErased', kept: 'recipient' }])
      const find = () => search(index, { toKey: searchable.toKey })
      await index.apply([first], at(1))
      await index.clear()
      await index.apply([{ state: ended, position: at(2), searchable }], at(2))
      assert.deepEqual(await find(), [{ state: ended, searchable: toSummary(searchable) }])

      const erased = foldNext(ended, { kind: 'MessageErased' })
      await index.apply([{ state: erased, position: at(3), searchable }], at(3))
      assert.deepEqual(await find(), [])
      assert.deepEqual(await search(index), [{ state: erased }])
    })

    test('a cleared index can be rebuilt from the start of the log', async () => {
      await using opened = await open()
      const { index } = opened
      const first = someProjection({}, 1)
      await index.apply([first, someProjection(TO_EVA, 2)], at(2))
      await index.clear()
      assert.deepEqual(await search(index, { toKey: keyOf(EVA) }), [])
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
}
