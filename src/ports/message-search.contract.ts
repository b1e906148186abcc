/** The tests of searching an index: by each field, by words, page by page, and never across tenants. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { EmailAddress } from '../domain/email/address.ts'
import type { BatchId, MessageId } from '../domain/ids.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { instant, later, seconds } from '../lib/time.ts'
import type { OpenFilled } from './filled-index.contract.ts'
import { idsOf, keyOf, NORTH, type SampleMessage, search } from './index-samples.contract.ts'
import { MalformedCursor } from './malformed-cursor.ts'
import type { Filter, MessageIndex, Row } from './message-index.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  DEAD,
  delivered,
  earlier,
  hours,
  NOON,
  phone,
  retryAt,
  someContent,
  tenant,
  unknownUntil,
} from './samples.contract.ts'

export function messageSearchContract(engine: string, open: OpenFilled): void {
  describe(`search on ${engine}`, { timeout: 120_000 }, () => {
    for (const [name, filter, hit, miss] of FILTERS) {
      test(`search by ${name}`, async () => {
        await using opened = await open()
        const { index, put } = opened
        const [wanted] = await put(hit, miss)
        assert.deepEqual(idsOf(await search(index, filter)), [wanted])
        assert.equal((await search(index)).length, 2)
      })
    }

    test('all conditions must match', async () => {
      await using opened = await open()
      const { index, put } = opened
      const content = { tags: ['vip'] }
      const [wanted] = await put({ message: { lane: 'otp' }, content }, { message: { lane: 'otp' } }, { content })
      assert.deepEqual(idsOf(await search(index, { lane: 'otp', tag: 'vip', text: 'vip', status: 'queued' })), [wanted])
      assert.deepEqual(await search(index, { lane: 'otp', tag: 'vip', dead: true }), [])
    })

    test('pages go from newest to oldest, without gaps or duplicates', async () => {
      await using opened = await open()
      const { index, put } = opened
      const ages = [3, 1, 4, 1, 5, 1, 2, 1]
      const stories = ages.map((age) => ({ message: { createdAt: earlier(NOON, seconds(age)) } }))
      const ids = await put(...stories)
      for (const limit of [1, 2, 3, 8, 20]) {
        const pages = await allPages(index, limit)
        assert.equal(pages.length, Math.ceil(ages.length / limit))
        assert.deepEqual(idsOf(pages.flat()).toSorted(), ids.toSorted())
        const seen = pages.flat().map(({ state }) => state.createdAt)
        assert.deepEqual(
          seen,
          seen.toSorted((a, b) => b - a),
        )
      }
    })

    test('a batch or a template can be paged through, and outlives what is personal', async () => {
      await using opened = await open()
      const { index, put } = opened
      const named: SampleMessage = { message: { batchId: BATCH, template: 'welcome' } }
      const ids = await put({}, named, named, { ...named, facts: [{ kind: 'MessageErased' }] }, {})
      const wanted = ids.slice(1, 4).toSorted()
      for (const filter of [{ batchId: BATCH }, { template: 'welcome' }]) {
        const pages = await allPages(index, 1, filter)
        assert.equal(pages.length, 3)
        assert.deepEqual(idsOf(pages.flat()).toSorted(), wanted)
      }
    })

    test('metadata that spells a batch or a template is not taken for one', async () => {
      await using opened = await open()
      const { index, put } = opened
      await put({ content: { metadata: { batch: BATCH, template: 'welcome' }, tags: [`batch:${BATCH}`] } })
      assert.deepEqual(await search(index, { batchId: BATCH }), [])
      assert.deepEqual(await search(index, { template: 'welcome' }), [])
    })

    test('new messages do not shift the pages', async () => {
      await using opened = await open()
      const { index, put } = opened
      const ids = await put({}, {}, {}, {})
      const first = await index.search({ tenantId: NORTH, filter: {}, limit: 2 })
      assert.ok(first.nextCursor !== undefined)
      await put({ message: { createdAt: later(NOON, seconds(1)) } })
      const second = await index.search({ tenantId: NORTH, filter: {}, limit: 2, cursor: first.nextCursor })
      assert.deepEqual(idsOf([...first.rows, ...second.rows]).toSorted(), ids.toSorted())
    })

    test('does not return messages of another tenant', async () => {
      await using opened = await open()
      const { index, put } = opened
      const [mine] = await put({}, { message: { tenantId: tenant('south') } })
      for (const filter of [{}, { text: 'welcome' }, { tag: 'welcome' }]) {
        assert.deepEqual(idsOf(await search(index, filter)), [mine])
      }
      const [named, errorCode] = [{ batchId: BATCH, template: 'welcome' }, 'BARRED']
      const [theirs] = await put({ message: { ...named, tenantId: tenant('south') }, ...barred(errorCode) })
      assert.ok(theirs !== undefined)
      for (const filter of [{ ids: [theirs] }, { idPrefix: prefixOf(theirs) }, { errorCode }, named]) {
        assert.deepEqual(idsOf(await search(index, filter)), [], JSON.stringify(filter))
      }
      const [bucket] = await index.stats({ tenantId: NORTH, from: NOON, to: later(NOON, hours(1)), bucket: hours(1) })
      assert.deepEqual(bucket?.statuses, { queued: 1 })
      assert.deepEqual((await index.search({ tenantId: tenant('west'), filter: {}, limit: 9 })).rows, [])
    })
  })

  describe(`times and cursors on ${engine}`, { timeout: 120_000 }, () => {
    const DISTANT = [instant(Date.parse('1960-01-01')), instant(Date.parse('9999-12-31'))] as const
    const FILTERED: readonly Filter[] = [
      {},
      { text: 'welcome' },
      { tag: 'welcome' },
      { toKey: keyOf(someContent().to) },
    ]

    test('accepts any time range', async () => {
      await using opened = await open()
      const { index, put } = opened
      const [wanted] = await put({})
      const [past, future] = DISTANT
      for (const filter of FILTERED) {
        const find = async (range: Filter) => idsOf(await search(index, { ...filter, ...range }))
        assert.deepEqual(await find({ createdFrom: past, createdTo: future }), [wanted])
        assert.deepEqual(await find({ createdFrom: future }), [])
        assert.deepEqual(await find({ createdTo: past }), [])
        assert.deepEqual(await find({ createdFrom: future, createdTo: past }), [])
      }
    })

    test('finds messages of any century', async () => {
      await using opened = await open()
      const { index, put } = opened
      const days = ['2039-12-31', '2101-01-01']
      const ids = await put({}, ...days.map((day) => ({ message: { createdAt: instant(Date.parse(day)) } })))
      for (const filter of FILTERED) assert.deepEqual(idsOf(await search(index, filter)), ids.toReversed())
    })

    test('any cursor is malformed or begins a page', async () => {
      await using opened = await open()
      const { index, put } = opened
      await put({})
      const beginAt = async (filter: Filter, cursor: string): Promise<void> => {
        const found = index.search({ tenantId: NORTH, filter, limit: 9, cursor })
        const rows = await found.then(({ rows: page }) => page, malformed)
        assert.ok(rows.length <= 1, cursor)
      }
      for (const filter of FILTERED) for (const cursor of ODD_CURSORS) await beginAt(filter, cursor)
      await fc.assert(fc.asyncProperty(fc.constantFrom(...FILTERED), ANY_CURSOR, beginAt), { numRuns: 200 })
    })
  })
}

const LATER = { message: { createdAt: later(NOON, seconds(5)) } }
const SENT: SampleMessage = { facts: [ATTEMPTED, ACCEPTED] }
const BROKEN: SampleMessage = { facts: [ATTEMPTED, DEAD] }
const FAILED: SampleMessage = { facts: [ATTEMPTED, { kind: 'HandoffFailed', code: 'X', detail: 'x' }] }
const UNKNOWN: SampleMessage = { facts: [ATTEMPTED, unknownUntil(later(NOON, hours(1)))] }
const EMAIL: SampleMessage = { mail: {} }
const EVA = { address: 'eva@example.com' as EmailAddress }
const RUI = { address: 'rui@example.com' as EmailAddress }
const TO_BOTH: SampleMessage = { mail: { cc: [EVA], bcc: [RUI] } }
const RENAMED: SampleMessage = {
  facts: [ATTEMPTED, { kind: 'HandoffAccepted', providerMessageId: 'SM2', by: 'answer' }],
}
const WAITING: SampleMessage = { facts: [ATTEMPTED, retryAt(later(NOON, hours(1)))] }
const ID = randomUUID() as MessageId
const OF_ORDER: SampleMessage = { content: { metadata: { order: 'B-7', city: 'Lisboa' } } }
const BATCH = 'b-1' as BatchId
const OTHER_BATCH = 'b-11' as BatchId
const prefixOf = (id: string, digits = 8): string => id.replaceAll('-', '').slice(0, digits)
const barred = (code: string): SampleMessage => ({ facts: [ATTEMPTED, { kind: 'DeadLettered', code, detail: 'no' }] })
const TO_ANA: SampleMessage = { content: { to: phone('+351911111111') } }

/** Each filter finds the first message and not the second. */
const FILTERS: readonly (readonly [string, Filter, SampleMessage, SampleMessage])[] = [
  ['channel', { channel: 'email' }, EMAIL, {}],
  ['status', { status: 'sent' }, SENT, BROKEN],
  ['expiry', { status: 'expired' }, { facts: [{ kind: 'MessageExpired' }] }, BROKEN],
  ['hand-off state', { handoffState: 'handed_off' }, SENT, { facts: [ATTEMPTED] }],
  ['provider state', { providerState: 'delivered' }, { facts: [ATTEMPTED, ACCEPTED, delivered()] }, SENT],
  ['provider', { provider: 'acme' }, SENT, {}],
  ['id', { id: ID }, { message: { id: ID } }, {}],
  ['one of several ids', { ids: [randomUUID() as MessageId, ID] }, { message: { id: ID } }, {}],
  ['the beginning of an id', { idPrefix: prefixOf(ID) }, { message: { id: ID } }, {}],
  ['more of an id', { idPrefix: prefixOf(ID, 20) }, { message: { id: ID } }, { message: { id: alike(ID) } }],
  ['batch', { batchId: BATCH }, { message: { batchId: BATCH } }, { message: { batchId: OTHER_BATCH } }],
  ['template', { template: 'welcome' }, { message: { template: 'welcome' } }, { message: { template: 'Welcome' } }],
  [
    'template and recipient',
    { template: 'welcome', toKey: keyOf(someContent().to) },
    { message: { template: 'welcome' } },
    { message: { template: 'bye' } },
  ],
  ['error', { errorCode: 'BARRED' }, barred('BARRED'), barred('BAR')],
  ['what the provider calls it', { providerMessageId: 'SM1' }, SENT, RENAMED],
  ['what the provider calls a mail', { channel: 'email', providerMessageId: 'SM1' }, { ...EMAIL, ...SENT }, SENT],
  ['mail that is received', { emailStatus: 'RECEIVED' }, EMAIL, { ...EMAIL, ...UNKNOWN }],
  ['mail that is attempted', { emailStatus: 'SENT_ATTEMPT' }, { ...EMAIL, ...UNKNOWN }, { ...EMAIL, ...WAITING }],
  ['mail that is put off', { emailStatus: 'RETRY_SCHEDULED' }, { ...EMAIL, ...WAITING }, { ...EMAIL, ...UNKNOWN }],
  ['mail that is sent', { emailStatus: 'SENT' }, { ...EMAIL, ...SENT }, { ...EMAIL, ...FAILED }],
  ['mail that has failed', { emailStatus: 'FAILED' }, { ...EMAIL, ...BROKEN }, { ...EMAIL, ...SENT }],
  ['recipient', { toKey: keyOf('+351911111111') }, TO_ANA, {}],
  ['recipient of a copy', { toKey: keyOf(RUI.address) }, TO_BOTH, { mail: { cc: [EVA] } }],
  ['recipient of another copy', { toKey: keyOf(EVA.address) }, TO_BOTH, EMAIL],
  ['tag', { tag: 'vip' }, { content: { tags: ['gold', 'vip'] } }, { content: { tags: ['vip-not'] } }],
  ['two tags', { tag: ['gold', 'vip'] }, { content: { tags: ['vip', 'gold'] } }, { content: { tags: ['vip'] } }],
  [
    'two metadata fields',
    { metadata: ['order:B-7', 'city:Lisboa'] },
    OF_ORDER,
    { content: { metadata: { order: 'B-7', city: 'Porto' } } },
  ],
  ['metadata field', { metadata: 'order:B-7' }, OF_ORDER, { content: { metadata: { parcel: 'B-7', order: 'B-71' } } }],
  [
    'metadata field and words',
    { metadata: 'order:B-7', text: 'lis' },
    OF_ORDER,
    { content: { metadata: { order: 'B-7' } } },
  ],
  ['metadata field and recipient', { metadata: 'order:B-7', toKey: keyOf(someContent().to) }, OF_ORDER, {}],
  ['lane', { lane: 'bulk' }, { message: { lane: 'bulk' } }, { message: { lane: 'otp' } }],
  ['earliest creation, inclusive', { createdFrom: later(NOON, seconds(5)) }, LATER, {}],
  ['latest creation, exclusive', { createdTo: later(NOON, seconds(5)) }, {}, LATER],
  ['death', { dead: true }, BROKEN, FAILED],
  ['life', { dead: false }, SENT, BROKEN],
  ['unknown', { unknown: true }, UNKNOWN, SENT],
  ['certainty', { unknown: false }, SENT, UNKNOWN],
]

/** No page; any other error is a bug. */
function malformed(error: unknown): readonly Row[] {
  assert.ok(error instanceof MalformedCursor, String(error))
  return []
}

/** Any text, and what looks like a cursor. */
const ANY_CURSOR = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.stringMatching(/^-?[0-9a-z]{1,12}\.(?:-?[0-9a-z]{1,12}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/),
)

const ODD_CURSORS = ['', '.', 'x', '-1.-1', 'zzzzzzzzz.1', '9007199254740991.9007199254740991', '\0', '1.1.1']

/** Another id with the same first digits. */
function alike(id: MessageId): MessageId {
  return `${id.slice(0, 9)}${randomUUID().slice(9)}` as MessageId
}

async function allPages(index: MessageIndex, limit: number, filter: Filter = {}): Promise<(readonly Row[])[]> {
  const pages: (readonly Row[])[] = []
  let cursor: string | undefined
  do {
    const page = await index.search(omitUndefined({ tenantId: NORTH, filter, limit, cursor }))
    pages.push(page.rows)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return pages
}
