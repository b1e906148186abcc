/** The tests every directory must pass. */

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { DirectoryEntry, RecipientId } from '../domain/directory/recipient.ts'
import type { EmailAddress } from '../domain/email/address.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { later, millis } from '../lib/time.ts'
import { MalformedCursor } from './malformed-cursor.ts'
import type { RecipientQuery, Recipients } from './recipients.ts'
import { NOON, phone, tenant } from './samples.contract.ts'

const [NORTH, SOUTH] = [tenant('north'), tenant('south')]

export type OpenRecipients = () => Promise<Readonly<{ recipients: Recipients }> & AsyncDisposable>

export function recipientsContract(engine: string, open: OpenRecipients): void {
  describe(`recipients on ${engine}`, { timeout: 120_000 }, () => {
    keeping(open)
    removing(open)
    searching(open)
  })
}

export const someEntry = (wanted: Partial<DirectoryEntry> = {}): DirectoryEntry => ({
  id: randomUUID() as string as RecipientId,
  tenantId: NORTH,
  createdAt: NOON,
  updatedAt: NOON,
  ...wanted,
})

const ANA = {
  externalId: 'user-42 "é" 👍',
  name: 'Ana Souza',
  phone: phone('+5511987654321'),
  email: 'ana@example.com' as EmailAddress,
  locale: 'pt-BR',
}

function keeping(open: OpenRecipients): void {
  test('an added recipient is found by our id and by the external id, as given', async () => {
    await using opened = await open()
    const { recipients } = opened
    const [ana, nobody] = [someEntry(ANA), someEntry()]
    assert.equal(await recipients.add(ana), 'added')
    assert.equal(await recipients.add(nobody), 'added')
    assert.deepEqual(await recipients.find(NORTH, { id: ana.id }), ana)
    assert.deepEqual(await recipients.find(NORTH, { externalId: ANA.externalId }), ana)
    assert.deepEqual(await recipients.find(NORTH, { id: nobody.id }), nobody)
    assert.equal(await recipients.find(NORTH, { id: someEntry().id }), undefined)
    assert.equal(await recipients.find(NORTH, { externalId: 'USER-42 "é" 👍' }), undefined)
  })

  test('of concurrent additions with one external id exactly one succeeds', async () => {
    await using opened = await open()
    const { recipients } = opened
    const rivals = Array.from({ length: 30 }, () => someEntry({ externalId: 'x' }))
    const answers = await Promise.all(rivals.map((entry) => recipients.add(entry)))
    assert.equal(answers.filter((answer) => answer === 'added').length, 1)
    assert.equal(answers.filter((answer) => answer === 'taken').length, 29)
    const winner = rivals[answers.indexOf('added')]
    assert.deepEqual(await recipients.find(NORTH, { externalId: 'x' }), winner)
  })

  test('a change replaces all fields, also by nothing, and keeps the time of creation', async () => {
    await using opened = await open()
    const { recipients } = opened
    const ana = someEntry(ANA)
    await recipients.add(ana)
    const changed = someEntry({ id: ana.id, externalId: 'new', updatedAt: later(NOON, millis(5)) })
    assert.equal(await recipients.change(changed), 'changed')
    assert.deepEqual(await recipients.find(NORTH, { id: ana.id }), changed)
    assert.equal(await recipients.find(NORTH, { externalId: ANA.externalId }), undefined)
    assert.deepEqual(await found(recipients, 'souza'), [])
    assert.deepEqual(await found(recipients, 'new'), [ana.id])
    assert.equal(await recipients.change(changed), 'changed')
  })

  test('a change to the external id of another is rejected, and a change of an unknown recipient finds none', async () => {
    await using opened = await open()
    const { recipients } = opened
    const [ana, ben] = [someEntry(ANA), someEntry({ externalId: 'ben', name: 'Ben' })]
    await recipients.add(ana)
    await recipients.add(ben)
    assert.equal(await recipients.change({ ...ben, name: 'Benno', externalId: ANA.externalId }), 'taken')
    assert.deepEqual(await recipients.find(NORTH, { id: ben.id }), ben)
    assert.deepEqual(await found(recipients, 'benno'), [])
    assert.equal(await recipients.change(someEntry()), 'absent')
  })

  test('does not share recipients between tenants', async () => {
    await using opened = await open()
    const { recipients } = opened
    const [mine, theirs] = [someEntry(ANA), someEntry({ ...ANA, tenantId: SOUTH })]
    assert.equal(await recipients.add(mine), 'added')
    assert.equal(await recipients.add(theirs), 'added')
    assert.deepEqual(await recipients.find(SOUTH, { externalId: ANA.externalId }), theirs)
    assert.equal(await recipients.find(SOUTH, { id: mine.id }), undefined)
    assert.equal(await recipients.change({ ...mine, tenantId: SOUTH, externalId: 'other' }), 'absent')
    assert.equal(await recipients.remove(SOUTH, mine.id), false)
    assert.deepEqual(await found(recipients, 'ana', SOUTH), [theirs.id])
    assert.deepEqual(await recipients.find(NORTH, { id: mine.id }), mine)
  })
}

function removing(open: OpenRecipients): void {
  test('a removed recipient is not found, changed or removed again', async () => {
    await using opened = await open()
    const { recipients } = opened
    const ana = someEntry(ANA)
    await recipients.add(ana)
    assert.equal(await recipients.remove(NORTH, ana.id), true)
    assert.equal(await recipients.find(NORTH, { id: ana.id }), undefined)
    assert.equal(await recipients.find(NORTH, { externalId: ANA.externalId }), undefined)
    assert.equal(await recipients.change(ana), 'absent')
    assert.equal(await recipients.remove(NORTH, ana.id), false)
    assert.equal(await recipients.remove(NORTH, someEntry().id), false)
    assert.deepEqual(await found(recipients), [])
    assert.deepEqual(await found(recipients, 'ana'), [])
  })

  test('the external id of a removed recipient may be used again, any number of times', async () => {
    await using opened = await open()
    const { recipients } = opened
    for (let round = 0; round < 3; round += 1) {
      const ana = someEntry(ANA)
      assert.equal(await recipients.add(ana), 'added')
      assert.deepEqual(await recipients.find(NORTH, { externalId: ANA.externalId }), ana)
      assert.equal(await recipients.remove(NORTH, ana.id), true)
    }
  })

  test('of concurrent removals exactly one succeeds', async () => {
    await using opened = await open()
    const { recipients } = opened
    const ana = someEntry(ANA)
    await recipients.add(ana)
    const answers = await Promise.all(Array.from({ length: 20 }, () => recipients.remove(NORTH, ana.id)))
    assert.equal(answers.filter((removed) => removed).length, 1)
  })
}

function searching(open: OpenRecipients): void {
  test('lists all page by page, newest first, each once, also with equal times', async () => {
    await using opened = await open()
    const { recipients } = opened
    const entries = Array.from({ length: 13 }, (_, nth) =>
      someEntry({ createdAt: later(NOON, millis(Math.floor(nth / 3))) }),
    )
    for (const entry of entries) await recipients.add(entry)
    const listed: DirectoryEntry[] = []
    let cursor: string | undefined
    do {
      const query: RecipientQuery = omitUndefined({ tenantId: NORTH, limit: 4, cursor })
      const page = await recipients.search(query)
      assert.ok(page.recipients.length > 0 && page.recipients.length <= 4)
      listed.push(...page.recipients)
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

  test('a search matches prefixes of words in name, ids and addresses, and all words must match', async () => {
    await using opened = await open()
    const { recipients } = opened
    const ana = someEntry(ANA)
    const zoe = someEntry({ name: 'Zoë Anders', phone: phone('+4915112345678'), createdAt: later(NOON, millis(1)) })
    await recipients.add(ana)
    await recipients.add(zoe)
    assert.deepEqual(await found(recipients, 'an'), [zoe.id, ana.id])
    for (const text of ['ANA sou', 'souza ana', '+5511', '5511987654321', 'ana@exam', 'user 42', 'é']) {
      assert.deepEqual(await found(recipients, text), [ana.id], text)
    }
    for (const text of ['zoe', 'ZOÉ and', '+49', 'anders']) assert.deepEqual(await found(recipients, text), [zoe.id])
    for (const text of ['nders', 'ana zoe', 'pt', '11987', `' or 1`, 'souzaa']) {
      assert.deepEqual(await found(recipients, text), [], text)
    }
    assert.deepEqual(await found(recipients, ' %_*"& '), [zoe.id, ana.id])
  })

  test('a search continues from page to page, and refuses a malformed cursor', async () => {
    await using opened = await open()
    const { recipients } = opened
    const entries = Array.from({ length: 5 }, (_, nth) =>
      someEntry({ name: `Ana ${nth}`, createdAt: later(NOON, millis(nth)) }),
    )
    for (const entry of [...entries, someEntry({ name: 'Ben' })]) await recipients.add(entry)
    const first = await recipients.search({ tenantId: NORTH, text: 'ana', limit: 3 })
    assert.ok(first.nextCursor !== undefined)
    const second = await recipients.search({ tenantId: NORTH, text: 'ana', limit: 3, cursor: first.nextCursor })
    assert.equal(second.nextCursor, undefined)
    assert.deepEqual([...first.recipients, ...second.recipients], entries.toReversed())
    for (const cursor of ['nonsense', '', '.', 'zz.zz.zz']) {
      await assert.rejects(recipients.search({ tenantId: NORTH, limit: 9, cursor }), MalformedCursor, cursor)
    }
  })
}

/** The ids that a search finds. */
async function found(recipients: Recipients, text?: string, tenantId = NORTH): Promise<readonly RecipientId[]> {
  const page = await recipients.search(omitUndefined({ tenantId, limit: 50, text }))
  return page.recipients.map(({ id }) => id)
}
