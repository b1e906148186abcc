import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import type { RecipientId } from '../../domain/directory/recipient.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import { recipientsContract } from '../../ports/recipients.contract.ts'
import { NOON, phone, stopped, tenant } from '../../ports/samples.contract.ts'
import { someSuppression, suppressionsContract } from '../../ports/suppressions.contract.ts'
import { templatesContract } from '../../ports/templates.contract.ts'
import { openReader } from './database.ts'
import { type Driver, remote } from './driver.ts'
import { JournalProgress } from './journal/progress.ts'
import { LocalDriver } from './local-driver.ts'
import type { SearchMethods } from './message-index.ts'
import { ReaderDriver } from './reader-driver.ts'
import { openSearch } from './search.ts'
import { newFolder, UNSEALED } from './store.fixture.ts'
import { openStore, type StoreMethods } from './store.ts'
import { sqliteSuppressions } from './suppressions.ts'

function openDirectory(folder: string) {
  const path = join(folder, 'pombo.db')
  const writer: Driver<StoreMethods> = new LocalDriver(
    openStore({ path, clock: stopped, ...UNSEALED, progress: new JournalProgress(), indexBodies: false }),
  )
  const db = openReader(path)
  const reader: Driver<SearchMethods> = new ReaderDriver(db, openSearch(db))
  return {
    recipients: { ...remote(writer, 'recipients'), ...remote(reader, 'recipients') },
    suppressions: sqliteSuppressions(writer, reader),
    templates: { ...remote(writer, 'templates'), ...remote(reader, 'templates') },
    async [Symbol.asyncDispose]() {
      await reader[Symbol.asyncDispose]()
      await writer[Symbol.asyncDispose]()
    },
  }
}

async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-'))
  const opened = openDirectory(folder)
  return {
    ...opened,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

recipientsContract('sqlite', open)
suppressionsContract('sqlite', open)
templatesContract('sqlite', open)

const NORTH = tenant('north')
const ANA = {
  id: '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as RecipientId,
  tenantId: NORTH,
  externalId: 'user-4711',
  name: 'Anastasia Sokolova',
  phone: phone('+5511987654321'),
  email: 'anastasia@example.com' as EmailAddress,
  createdAt: NOON,
  updatedAt: NOON,
}

test('directory, templates and suppressions survive a restart', async (t) => {
  const folder = newFolder(t)
  const template = { tenantId: NORTH, name: 'hi', locale: 'en', channel: 'sms', texts: { text: 'Hi' } } as const
  {
    await using before = openDirectory(folder)
    await before.recipients.add(ANA)
    await before.templates.add({ ...template, createdAt: NOON })
    await before.suppressions.add(someSuppression({ address: ANA.email }))
  }
  await using after = openDirectory(folder)
  assert.deepEqual(await after.recipients.find(NORTH, { externalId: 'user-4711' }), ANA)
  assert.equal((await after.templates.find(NORTH, 'hi', ['en']))?.version, 1)
  assert.equal((await after.suppressions.find(NORTH, [ANA.email], NOON)).length, 1)
})

test('nothing of a removed person remains in the files except the external id', async (t) => {
  const folder = newFolder(t)
  await using opened = openDirectory(folder)
  await opened.recipients.add(ANA)
  await opened.recipients.change({ ...ANA, name: 'Anastasia Petrova' })
  await opened.recipients.remove(NORTH, ANA.id)
  await opened.suppressions.add(someSuppression({ address: ANA.email }))
  await opened.suppressions.remove(NORTH, ANA.email)
  const holds = (text: string): boolean =>
    ['pombo.db', 'pombo.db-wal'].some((name) => readFileSync(join(folder, name)).includes(text))
  const personal = ['nastasia', 'sokolova', 'etrova', '5511987654321']
  await until('the files to forget', async () => !personal.some(holds))
  assert.ok(holds('user-4711'))
})
