import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Client } from 'pg'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import type { RecipientId } from '../../domain/directory/recipient.ts'
import { recipientsContract } from '../../ports/recipients.contract.ts'
import { NOON, phone, tenant } from '../../ports/samples.contract.ts'
import { suppressionsContract } from '../../ports/suppressions.contract.ts'
import { templatesContract } from '../../ports/templates.contract.ts'
import { openStores } from './database.fixture.ts'
import { postgresRecipients } from './recipients.ts'
import { postgresSuppressions } from './suppressions.ts'
import { postgresTemplates } from './templates.ts'

const { migrated } = await sharePostgres()

const open = () =>
  openStores(migrated, (db) => ({
    recipients: postgresRecipients(db),
    suppressions: postgresSuppressions(db),
    templates: postgresTemplates(db),
  }))

recipientsContract('postgres', open)
suppressionsContract('postgres', open)
templatesContract('postgres', open)

test('only the external id of a removed person remains', async () => {
  await using opened = await open()
  const id = randomUUID() as string as RecipientId
  const who = { externalId: 'user-4711', name: 'Anastasia', phone: phone('+5511987654321'), locale: 'pt' }
  await opened.recipients.add({ id, tenantId: tenant('north'), ...who, createdAt: NOON, updatedAt: NOON })
  await opened.recipients.remove(tenant('north'), id)
  const admin = new Client({ connectionString: opened.database.adminUrl })
  await admin.connect()
  const { rows } = await admin.query('select *, removed_at > created_at as removed from pombo.recipients')
  await admin.end()
  const { external_id: externalId, name, phone: number, email, locale, words, removed } = rows[0]
  assert.equal(rows.length, 1)
  assert.deepEqual([externalId, name, number, email, locale, words], ['user-4711', null, null, null, null, ''])
  assert.equal(removed, true)
})
