/** The tests every suppression list must pass. */

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { EmailAddress } from '../domain/email/address.ts'
import { isInForce, SUPPRESSION_REASONS, type Suppression, succeeds } from '../domain/email/suppression.ts'
import type { MessageId } from '../domain/ids.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { later, millis, seconds } from '../lib/time.ts'
import { MalformedCursor } from './malformed-cursor.ts'
import { NOON, tenant } from './samples.contract.ts'
import type { SuppressionQuery, Suppressions } from './suppressions.ts'

const [NORTH, SOUTH] = [tenant('north'), tenant('south')]
const LATER = later(NOON, seconds(60))

export type OpenSuppressions = () => Promise<Readonly<{ suppressions: Suppressions }> & AsyncDisposable>

export function suppressionsContract(engine: string, open: OpenSuppressions): void {
  describe(`suppressions on ${engine}`, { timeout: 120_000 }, () => {
    keeping(open)
    succeeding(open)
    listing(open)
    finding(open)
  })
}

const box = (text: string): EmailAddress => text as EmailAddress
const ANA = box('ana@example.com')

export const someSuppression = (wanted: Partial<Suppression> = {}): Suppression => ({
  tenantId: NORTH,
  address: ANA,
  reason: 'manual',
  createdAt: NOON,
  ...wanted,
})

function keeping(open: OpenSuppressions): void {
  test('an added entry is found as given, and by no other address', async () => {
    await using opened = await open()
    const { suppressions } = opened
    const ana = someSuppression({ note: 'she "asked" 👍', messageId: randomUUID() as MessageId, expiresAt: LATER })
    const eva = someSuppression({ address: box("eva+o'neil@example.com"), reason: 'complaint' })
    for (const entry of [ana, eva]) await suppressions.add(entry)
    assert.deepEqual(await suppressions.find(NORTH, [ANA], NOON), [ana])
    const others = [box('rui@example.com'), eva.address, eva.address, ANA]
    assert.deepEqual(new Set(await suppressions.find(NORTH, others, NOON)), new Set([ana, eva]))
    assert.equal((await suppressions.find(NORTH, others, NOON)).length, 2)
    assert.deepEqual(await suppressions.find(NORTH, [box('xana@example.com'), box('ana@example.co')], NOON), [])
    assert.deepEqual(await suppressions.find(NORTH, [], NOON), [])
  })

  test('an expired entry counts as missing and can be replaced', async () => {
    await using opened = await open()
    const { suppressions } = opened
    const first = someSuppression({ reason: 'hard_bounce', expiresAt: LATER })
    await suppressions.add(first)
    assert.deepEqual(await suppressions.find(NORTH, [ANA], later(LATER, millis(-1))), [first])
    assert.deepEqual(await suppressions.find(NORTH, [ANA], LATER), [])
    assert.deepEqual(await suppressions.list({ tenantId: NORTH, at: LATER, limit: 9 }), { suppressions: [] })
    const second = { ...first, createdAt: LATER, expiresAt: later(LATER, seconds(1)) }
    await suppressions.add(second)
    assert.deepEqual(await suppressions.find(NORTH, [ANA], LATER), [second])
  })

  test('a removed entry is gone and may be added again, and of concurrent removals exactly one succeeds', async () => {
    await using opened = await open()
    const { suppressions } = opened
    for (let round = 0; round < 2; round += 1) {
      await suppressions.add(someSuppression())
      const answers = await Promise.all(Array.from({ length: 10 }, () => suppressions.remove(NORTH, ANA)))
      assert.equal(answers.filter((isRemoved) => isRemoved).length, 1)
      assert.deepEqual(await suppressions.find(NORTH, [ANA], NOON), [])
    }
    assert.equal(await suppressions.remove(NORTH, ANA), false)
  })

  test('does not share entries between tenants', async () => {
    await using opened = await open()
    const { suppressions } = opened
    const [mine, theirs] = [someSuppression(), someSuppression({ tenantId: SOUTH, reason: 'complaint' })]
    for (const entry of [mine, theirs]) await suppressions.add(entry)
    assert.equal(await suppressions.remove(tenant('west'), ANA), false)
    assert.deepEqual(await suppressions.find(SOUTH, [ANA], NOON), [theirs])
    assert.deepEqual(await addressesOf(suppressions, { tenantId: SOUTH, text: 'ana' }), [ANA])
    assert.equal(await suppressions.remove(SOUTH, ANA), true)
    assert.deepEqual(await suppressions.find(NORTH, [ANA], NOON), [mine])
    assert.deepEqual(await addressesOf(suppressions, { tenantId: SOUTH }), [])
  })
}

/** Entries of one address in any order, with overlapping and separate validity. */
const anyEntries = fc.array(
  fc
    .record({
      reason: fc.constantFrom(...SUPPRESSION_REASONS),
      created: fc.integer({ min: 0, max: 3 }),
      lasts: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      note: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    })
    .map(({ reason, created, lasts, note }) => {
      const createdAt = later(NOON, seconds(created))
      const expiresAt = lasts === undefined ? {} : { expiresAt: later(createdAt, seconds(lasts)) }
      return someSuppression(omitUndefined({ reason, createdAt, ...expiresAt, note }))
    }),
  { minLength: 2, maxLength: 6 },
)

function succeeding(open: OpenSuppressions): void {
  test('of several entries of one address the one chosen by `succeeds` is stored', async () => {
    await using opened = await open()
    const { suppressions } = opened
    const property = fc.asyncProperty(anyEntries, async (entries) => {
      await suppressions.remove(NORTH, ANA)
      for (const entry of entries) await suppressions.add(entry)
      const expected = entries.reduce((old, entry) => (succeeds(old, entry) ? entry : old))
      for (const at of [NOON, later(NOON, seconds(2)), later(NOON, seconds(9))]) {
        assert.deepEqual(await suppressions.find(NORTH, [ANA], at), isInForce(expected, at) ? [expected] : [])
      }
    })
    await fc.assert(property, { numRuns: 100 })
  })

  test('of concurrent entries the permanent one is stored, and no bounce replaces it', async () => {
    await using opened = await open()
    const { suppressions } = opened
    const complaint = someSuppression({ reason: 'complaint' })
    const bounces = Array.from({ length: 20 }, (_, nth) =>
      someSuppression({ reason: 'hard_bounce', expiresAt: later(LATER, millis(nth)) }),
    )
    await Promise.all([...bounces, complaint, ...bounces].map((entry) => suppressions.add(entry)))
    assert.deepEqual(await suppressions.find(NORTH, [ANA], NOON), [complaint])
  })
}

function listing(open: OpenSuppressions): void {
  test('lists all page by page, newest first, each once, also with equal times', async () => {
    await using opened = await open()
    const { suppressions } = opened
    const entries = Array.from({ length: 13 }, (_, nth) =>
      someSuppression({ address: box(`a${nth}@example.com`), createdAt: later(NOON, millis(Math.floor(nth / 3))) }),
    )
    for (const entry of entries) await suppressions.add(entry)
    const listed: Suppression[] = []
    let cursor: string | undefined
    do {
      const page = await suppressions.list(omitUndefined({ tenantId: NORTH, at: NOON, limit: 4, cursor }))
      assert.ok(page.suppressions.length > 0 && page.suppressions.length <= 4)
      listed.push(...page.suppressions)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    assert.deepEqual(new Set(listed), new Set(entries))
    assert.equal(listed.length, entries.length)
    const times = listed.map(({ createdAt }) => createdAt)
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    )
  })

  test('refuses a malformed cursor', async () => {
    await using opened = await open()
    const { suppressions } = opened
    await suppressions.add(someSuppression())
    for (const cursor of ['nonsense', '', '.', 'zz.zz', '-1.ana@example.com', '1.a\0b@example.com', `!.${ANA}`]) {
      await assert.rejects(suppressions.list({ tenantId: NORTH, at: NOON, limit: 9, cursor }), MalformedCursor, cursor)
    }
  })
}

function finding(open: OpenSuppressions): void {
  test('a search matches a prefix of the address or of its domain, and a reason', async () => {
    await using opened = await open()
    const { suppressions } = opened
    const names = ['ana@example.com', 'anabel@test.org', 'exa@ana.net', 'rui_x@example.org', 'a%b@sub.example.com']
    for (const [nth, name] of names.entries()) {
      const reason = nth % 2 === 0 ? 'complaint' : 'manual'
      await suppressions.add(someSuppression({ address: box(name), reason, createdAt: later(NOON, millis(-nth)) }))
    }
    const [ana, anabel, exa, rui, sub] = names
    for (const [text, expected] of [
      ['ana', [ana, anabel, exa]],
      ['ANA@', [ana]],
      ['ana@example.com', [ana]],
      ['exa', [ana, exa, rui]],
      ['@exa', [ana, rui]],
      ['@example.com', [ana]],
      ['example.', [ana, rui]],
      ['sub', [sub]],
      ['a%', [sub]],
      ['@', names],
      ['com', []],
      ['rui%', []],
      ["' or 1", []],
      ['é', []],
      ['@ana@', []],
    ] as const) {
      assert.deepEqual(await addressesOf(suppressions, { text }), expected, text)
    }
    assert.deepEqual(await addressesOf(suppressions, { reason: 'manual' }), [anabel, rui])
    assert.deepEqual(await addressesOf(suppressions, { reason: 'complaint', text: 'exa' }), [ana, exa])
    assert.deepEqual(await addressesOf(suppressions, { reason: 'unsubscribe' }), [])
  })

  test('a search continues from page to page', async () => {
    await using opened = await open()
    const { suppressions } = opened
    const names = Array.from({ length: 5 }, (_, nth) => box(`ana${nth}@example.com`))
    for (const address of [...names, box('rui@test.org')]) await suppressions.add(someSuppression({ address }))
    const query: SuppressionQuery = { tenantId: NORTH, reason: 'manual', text: '@example', at: NOON, limit: 3 }
    const first = await suppressions.list(query)
    assert.ok(first.nextCursor !== undefined)
    const second = await suppressions.list({ ...query, cursor: first.nextCursor })
    assert.equal(second.nextCursor, undefined)
    assert.deepEqual(
      [...first.suppressions, ...second.suppressions].map(({ address }) => address),
      names.toReversed(),
    )
  })
}

async function addressesOf(suppressions: Suppressions, wanted: Partial<SuppressionQuery>): Promise<readonly string[]> {
  const page = await suppressions.list({ tenantId: NORTH, at: NOON, limit: 50, ...wanted })
  return page.suppressions.map(({ address }) => address)
}
