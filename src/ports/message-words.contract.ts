/** The tests of searching an index by words and by metadata fields, whatever characters they have. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MessageId } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import type { OpenFilled } from './filled-index.contract.ts'
import { idsOf, NORTH, rowOf, type SampleMessage, search, someProjection } from './index-samples.contract.ts'
import { ATTEMPTED, DEAD, NOON, someMessage } from './samples.contract.ts'

export function messageWordsContract(engine: string, open: OpenFilled): void {
  describe(`full text on ${engine}`, { timeout: 120_000 }, () => {
    test('finds words of tags, metadata and errors, in any case', async () => {
      await using opened = await open()
      const { index, put } = opened
      const content = { tags: ['Black-Friday'], metadata: { customer: "Zoë O'Brien", city: 'são paulo' } }
      const [wanted] = await put({ content, facts: [ATTEMPTED, DEAD] }, OTHER)
      const words = "black friday FRIDAY zoë ZOË o'brien SÃO CARRIER_BLOCKED carrier_blocked unreachable".split(' ')
      for (const text of [...words, 'são Paulo', 'friday zoë', 'paulo unreachable friday', '  Black   Friday ']) {
        assert.deepEqual(idsOf(await search(index, { text })), [wanted], text)
      }
      for (const text of ['nowhere', 'friday nowhere', 'riday', 'customer']) {
        assert.deepEqual(await search(index, { text }), [], text)
      }
    })

    test('finds words of an email’s subject until the email is erased', async () => {
      await using opened = await open()
      const { index, put } = opened
      const invoice = { mail: { subject: 'Sua fatura de março' } }
      const [wanted, erased] = await put(invoice, invoice, { mail: { subject: 'another' } })
      assert.ok(wanted !== undefined && erased !== undefined)
      assert.deepEqual(idsOf(await search(index, { text: 'FATURA mar' })).toSorted(), [wanted, erased].toSorted())
      await index.tombstone(erased)
      assert.deepEqual(idsOf(await search(index, { text: 'fatura' })), [wanted])
      const [row] = (await search(index)).filter(({ state }) => state.id === erased)
      assert.equal(row?.searchable, undefined)
    })

    test('matches a prefix for the last word only', async () => {
      await using opened = await open()
      const { index, put } = opened
      const [wanted] = await put({ content: { tags: ['black friday'] } }, OTHER)
      for (const text of ['fri', 'black fri', 'friday bl']) {
        assert.deepEqual(idsOf(await search(index, { text })), [wanted], text)
      }
      assert.deepEqual(await search(index, { text: 'fri black' }), [])
    })

    test('finds a metadata field whatever its name and value, and by nothing else', async () => {
      await using opened = await open()
      const { index, put } = opened
      const long = 'x'.repeat(512)
      const metadata = { order: 'A-17', 'a:b': 'c', 'Nº "1"*': 'São Paulo 👍', long, odd: '\ud800\0', '': '' }
      const [wanted] = await put({ content: { tags: [], metadata } }, OTHER)
      for (const [key, value] of Object.entries(metadata)) {
        assert.deepEqual(idsOf(await search(index, { metadata: `${key}:${value}` })), [wanted], key)
      }
      for (const other of ['order:a-17', 'order:A', 'order', 'A-17', 'b:c', 'odd:', ...ODD_TEXTS]) {
        assert.deepEqual(await search(index, { metadata: other }), [], other)
      }
      // The first characters of anything that a field is found by.
      const letters = [...'0123456789abcdef', '\ue000', '\ue000a']
      for (const text of letters) assert.ok((await search(index, { text, tag: 'none' })).length === 0)
      for (const text of [...'bdef']) assert.deepEqual(await search(index, { text }), [], text)
    })

    test('follows the newest state', async () => {
      await using opened = await open()
      const { index, put, happen } = opened
      const message = someMessage()
      await put({ message, facts: [ATTEMPTED, DEAD] })
      assert.deepEqual(idsOf(await search(index, { text: 'unreachable' })), [message.id])
      await happen(message.id, { kind: 'ResendRequested', by: 'resend' })
      assert.deepEqual(await search(index, { text: 'unreachable' }), [])
      assert.deepEqual(idsOf(await search(index, { text: 'welcome' })), [message.id])
    })

    test('follows the newest detail of an error', async () => {
      await using opened = await open()
      const { index, put, happen } = opened
      const busy = (detail: string): Fact => ({ kind: 'RetryScheduled', dueAt: NOON, code: 'BUSY', detail })
      const [wanted] = await put({ facts: [ATTEMPTED, busy('overloaded')] })
      assert.ok(wanted !== undefined)
      assert.deepEqual(idsOf(await search(index, { text: 'overloaded' })), [wanted])
      await happen(wanted, ATTEMPTED, busy('asleep'))
      assert.deepEqual(idsOf(await search(index, { text: 'asleep' })), [wanted])
      assert.deepEqual(await search(index, { text: 'overloaded' }), [])
    })

    test('a page ends early once its rows take so many bytes, and the next one goes on', async () => {
      await using opened = await open()
      const { index, put } = opened
      const tags = Array.from({ length: 10 }, (_, nth) => `${nth}`.padEnd(60, 'x'))
      const ids = await put(...Array.from({ length: 20 }, (): SampleMessage => ({ content: { tags } })))
      const found: MessageId[] = []
      let pages = 0
      for (let cursor: string | undefined; ; pages += 1) {
        const page = await index.search(omitUndefined({ tenantId: NORTH, filter: {}, limit: 15, bytes: 6_000, cursor }))
        assert.ok(page.rows.length > 1 && page.rows.length < 15)
        found.push(...idsOf(page.rows))
        cursor = page.nextCursor
        if (cursor === undefined) break
      }
      assert.ok(pages > 1)
      assert.deepEqual(found.toSorted(), [...ids].toSorted())
      const tiny = await index.search({ tenantId: NORTH, filter: {}, limit: 15, bytes: 1 })
      assert.equal(tiny.rows.length, 1)
    })

    test('rows have no metadata, however long it is', async () => {
      await using opened = await open()
      const { index, put } = opened
      const metadata = Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`key ${nth}`, 'é'.repeat(600)]))
      const story = { message: someMessage(), content: { tags: ['plain'], metadata } }
      await put(story)
      assert.deepEqual(await search(index, {}), [rowOf(someProjection(story, 1))])
    })

    test('accepts any string', async () => {
      await using opened = await open()
      const { index, put } = opened
      const [wanted] = await put({
        content: { tags: ['AND', 'near'], metadata: { note: '100% "sure" 👍' } },
      })
      for (const text of ODD_TEXTS) assert.ok((await search(index, { text })).length <= 1, text)
      for (const text of ['and', '"sure"', '100%', '(near', 'near*']) {
        assert.deepEqual(idsOf(await search(index, { text })), [wanted], text)
      }
      for (const text of ['', '  ', '"', '*']) assert.equal((await search(index, { text })).length, 1)
    })

    test('indexes any string, and finds the ordinary words in it', async () => {
      await using opened = await open()
      const { index, put } = opened
      const long = ['x'.repeat(5000), '漢'.repeat(1600), '𠀀'.repeat(900), 'x '.repeat(3000)]
      const metadata = { odd: ODD_TEXTS.join(' '), ...Object.fromEntries(long.map((text) => [text.slice(0, 9), text])) }
      const failed: Fact = { kind: 'HandoffFailed', code: 'ODD\0', detail: `${ODD_TEXTS.join(' ')} unheard` }
      const content = { tags: [...ODD_TEXTS, ...long, 'plain'], metadata }
      const story = { message: someMessage(), content, facts: [ATTEMPTED, failed] }
      await put(story)
      for (const filter of [{}, { tag: 'plain' }, { text: 'plain' }, { text: 'unheard' }]) {
        assert.deepEqual(await search(index, filter), [rowOf(someProjection(story, 1))])
      }
    })
  })
}

const OTHER: SampleMessage = { content: { tags: ['monday'], metadata: {} } }

const ODD_TEXTS = [
  ...`" ' "" "unclosed it''s * ** a*b AND OR NOT NEAR( ( ) () - -a +a ^a a:b tags:vip % _ \\ ;--`.split(' '),
  ...'& | ! <-> :* <script> 👍 👩‍👩‍👧 é́ 漢字 مرحبا \u202Eabc \uD800 \0 a\0b'.split(' '),
  ...['a AND', 'AND OR NOT', 'NEAR(a b, 2)', '{a b}', 'a & !b', '\n\t', 'x'.repeat(5000), 'x '.repeat(500)],
]
