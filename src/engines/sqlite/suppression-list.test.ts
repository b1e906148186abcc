import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EmailAddress } from '../../domain/email/address.ts'
import { hasBeginning, isInForce, type Suppression, toBeginnings } from '../../domain/email/suppression.ts'
import { later, seconds } from '../../lib/time.ts'
import { NOON, tenant } from '../../ports/samples.contract.ts'
import { someSuppression } from '../../ports/suppressions.contract.ts'
import { newTables } from './store.fixture.ts'
import { suppressionList } from './suppression-list.ts'
import { suppressionTable } from './suppressions.ts'

const NORTH = tenant('north')
const anyName = fc.stringMatching(/^[ab][ab.]{0,2}$/)

const anyEntry = fc
  .record({ local: anyName, domain: anyName, created: fc.nat(3), lasts: fc.option(fc.nat(2), { nil: undefined }) })
  .map(({ local, domain, created, lasts }) => {
    const address = `${local}@${domain}` as EmailAddress
    const expiresAt = lasts === undefined ? {} : { expiresAt: later(NOON, seconds(lasts)) }
    return someSuppression({ address, createdAt: later(NOON, seconds(-created)), ...expiresAt })
  })

const newestFirst = (one: Suppression, other: Suppression): number =>
  other.createdAt - one.createdAt || (one.address < other.address ? 1 : -1)

test('a search finds the same whether few or many match', (t) => {
  const db = newTables(t)
  const { add } = suppressionTable(db).writes
  const unique = fc.uniqueArray(anyEntry, { selector: ({ address }) => address, maxLength: 20 })
  const property = fc.property(unique, fc.stringMatching(/^@?[AB.]{1,2}$/), (entries, text) => {
    db.exec('delete from suppressions')
    for (const entry of entries) add(entry)
    const expected = entries
      .filter((entry) => isInForce(entry, NOON) && hasBeginning(entry.address, toBeginnings(text)))
      .toSorted(newestFirst)
      .map(({ address }) => address)
    for (const few of [0, 1, 1000]) {
      const { list } = suppressionList(db, few).reads
      const { suppressions } = list({ tenantId: NORTH, text, at: NOON, limit: 100 })
      assert.deepEqual(
        suppressions.map(({ address }) => address),
        expected,
      )
    }
  })
  fc.assert(property, { numRuns: 200 })
})
