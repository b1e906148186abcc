/** The tests every index must pass: it finds the right messages in their newest state, and erases personal data. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EmailAddress } from '../domain/email/address.ts'
import type { Fact } from '../domain/message/events.ts'
import { toSummary } from '../domain/message/searchable.ts'
import { later, seconds } from '../lib/time.ts'
import { START } from './event-log.ts'
import type { OpenFilled } from './filled-index.contract.ts'
import { idsOf, keyOf, rowOf, search, someProjection } from './index-samples.contract.ts'
import { messageCountsContract } from './message-counts.contract.ts'
import { messageFiguresContract } from './message-figures.contract.ts'
import type { Filter } from './message-index.ts'
import { messageOverdueContract } from './message-overdue.contract.ts'
import { messageSearchContract } from './message-search.contract.ts'
import { messageWordsContract } from './message-words.contract.ts'
import { ACCEPTED, ATTEMPTED, DEAD, NOON, someContent, someMessage, stateAfter } from './samples.contract.ts'

const ERASED: Fact = { kind: 'MessageErased' }
const CODE_ENDED: Fact = { kind: 'MessageErased', kept: 'recipient' }
const COPIES = ['eva@example.com', 'rui@example.com'].map((address) => ({ address: address as EmailAddress }))

export function messageIndexContract(engine: string, open: OpenFilled): void {
  describe(`message index on ${engine}`, { timeout: 120_000 }, () => {
    test('an empty index has no messages and is at the start', async () => {
      await using opened = await open()
      const { index } = opened
      assert.equal(await index.position(), START)
      assert.deepEqual(await search(index), [])
    })

    test('lists a message in its newest state, with its searchable fields', async () => {
      await using opened = await open()
      const { index, put, happen, tip } = opened
      const message = someMessage()
      await put({ message })
      const first = someProjection({ message }, 1)
      assert.deepEqual(await search(index), [rowOf(first)])
      await happen(message.id, ATTEMPTED, ACCEPTED)
      const state = stateAfter(message, [ATTEMPTED, ACCEPTED])
      assert.deepEqual(await search(index), [{ state, searchable: toSummary(first.searchable) }])
      assert.equal(await index.position(), await tip())
      assert.ok((await tip()) > START)
    })

    test('a tombstone deletes the searchable fields and keeps the states', async () => {
      await using opened = await open()
      const { index, put, happen } = opened
      const message = someMessage()
      const mail = { cc: COPIES }
      await put({ message, mail }, { message: { createdAt: later(NOON, seconds(1)) }, mail })
      await index.tombstone(message.id)
      await index.tombstone(someMessage().id)
      const { state, searchable } = someProjection({ message, mail }, 1)
      const hidden = async (): Promise<void> => {
        const keys = [searchable.toKey, ...(searchable.copyKeys ?? [])].map((toKey) => ({ toKey }))
        for (const filter of [{ text: 'welcome' }, { tag: 'welcome' }, ...keys]) {
          assert.ok(!idsOf(await search(index, filter)).includes(state.id))
          assert.equal((await search(index, filter)).length, 1)
        }
      }
      await hidden()
      assert.deepEqual((await search(index))[1], { state })
      await happen(message.id, ATTEMPTED)
      await hidden()
      assert.deepEqual((await search(index))[1], { state: stateAfter(state, [ATTEMPTED]) })
    })

    test('an erased message loses its searchable fields without a tombstone, and is still listed', async () => {
      await using opened = await open()
      const { index, put, happen } = opened
      const [late, early] = [someMessage(), someMessage({ createdAt: later(NOON, seconds(1)) })]
      const mail = { cc: COPIES }
      await put({ message: late, mail }, { message: early, mail, facts: [ERASED] })
      assert.deepEqual(idsOf(await search(index, { text: 'welcome' })), [late.id])
      await happen(late.id, ERASED)
      const listed = [early, late].map((message) => ({ message, mail, facts: [ERASED] }))
      assert.deepEqual(
        await search(index),
        listed.map((story) => ({ state: someProjection(story, 1).state })),
      )
      for (const filter of PERSONAL) assert.deepEqual(await search(index, filter), [])
    })

    test('an erased message is still found by its error', async () => {
      await using opened = await open()
      const { index, put, happen } = opened
      const [message, other] = [someMessage(), someMessage()]
      await put({ message, facts: [ATTEMPTED, DEAD] }, { message: other, facts: [ATTEMPTED, DEAD, ERASED] })
      await happen(message.id, ERASED)
      const found = idsOf(await search(index, { text: 'unreachable' }))
      assert.deepEqual(found.toSorted(), [message.id, other.id].toSorted())
    })

    test('a message with an ended code is found by its recipient until it is erased completely', async () => {
      await using opened = await open()
      const { index, put, happen } = opened
      const message = someMessage()
      await put({ message })
      await happen(message.id, CODE_ENDED)
      const { state, searchable } = someProjection({ message, facts: [CODE_ENDED] }, 1)
      const find = () => search(index, { toKey: searchable.toKey })
      assert.deepEqual(await find(), [{ state, searchable: toSummary(searchable) }])
      await happen(message.id, ERASED)
      assert.deepEqual(await find(), [])
      assert.deepEqual(await search(index), [{ state: stateAfter(message, [CODE_ENDED, ERASED]) }])
    })
  })

  messageSearchContract(engine, open)
  messageWordsContract(engine, open)
  messageFiguresContract(engine, open)
  messageCountsContract(engine, open)
  messageOverdueContract(engine, open)
}

const PERSONAL: readonly Filter[] = [
  { text: 'welcome' },
  { tag: 'welcome' },
  { metadata: 'order:A-17' },
  ...[someContent().to, 'ana@example.com', ...COPIES.map(({ address }) => address)].map((to) => ({ toKey: keyOf(to) })),
]
