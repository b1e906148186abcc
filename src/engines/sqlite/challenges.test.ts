import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AccountId, MessageId } from '../../domain/ids.ts'
import type { CodeHash } from '../../domain/otp/challenge.ts'
import { later, seconds } from '../../lib/time.ts'
import { challengesContract } from '../../ports/challenges.contract.ts'
import { NOON, stopped, tenant } from '../../ports/samples.contract.ts'
import { challengeTable } from './challenges.ts'
import { type Driver, remote } from './driver.ts'
import { JournalProgress } from './journal/progress.ts'
import { LocalDriver } from './local-driver.ts'
import { newFolder, newTables, UNSEALED } from './store.fixture.ts'
import { openStore, type StoreMethods } from './store.ts'

function openChallenges(folder: string) {
  const store = openStore({
    path: join(folder, 'pombo.db'),
    clock: stopped,
    ...UNSEALED,
    progress: new JournalProgress(),
    indexBodies: false,
  })
  const driver: Driver<StoreMethods> = new LocalDriver(store)
  return { challenges: remote(driver, 'challenges'), [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose]() }
}

challengesContract('sqlite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-'))
  const opened = openChallenges(folder)
  return {
    ...opened,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
})

test('challenges and their attempts survive a restart', async (t) => {
  const folder = newFolder(t)
  const expiresAt = later(NOON, seconds(300))
  const challenge = {
    id: '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as MessageId,
    tenantId: tenant('north'),
    accountId: 'shop' as AccountId,
    maxAttempts: 3,
    createdAt: NOON,
    expiresAt,
  }
  const hash = 'a hash' as CodeHash
  {
    await using before = openChallenges(folder)
    await before.challenges.begin(challenge)
    await before.challenges.arm(challenge, { hash, maxAttempts: 3, expiresAt })
    await before.challenges.claim(challenge, NOON)
  }
  await using after = openChallenges(folder)
  assert.deepEqual(await after.challenges.find(challenge), { ...challenge, hash, attempts: 1 })
})

test('nothing names a challenge that was deleted', (t) => {
  const db = newTables(t)
  const { begin, clear } = challengeTable(db).writes
  const ref = { id: '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as MessageId, tenantId: tenant('north') }
  const expiresAt = later(NOON, seconds(300))
  const terms = { accountId: 'shop' as AccountId, maxAttempts: 3, createdAt: NOON, expiresAt }
  begin({ ...ref, ...terms, subject: 'ana' })
  const named = () => db.prepare('select count(*) as count from newest_challenges').get()?.['count']
  clear(ref, NOON)
  assert.equal(named(), 1)
  clear(ref, later(NOON, seconds(1)))
  assert.equal(named(), 0)
})
