import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { RecipientId } from '../../domain/directory/recipient.ts'
import type { AccountId, MessageId, TenantId } from '../../domain/ids.ts'
import type { CodeHash } from '../../domain/otp/challenge.ts'
import { later, seconds } from '../../lib/time.ts'
import { ROOM, someApiKey } from '../../ports/api-keys.contract.ts'
import { someLimit } from '../../ports/limit-rules.contract.ts'
import { someRoute } from '../../ports/routes.contract.ts'
import { NOON, stopped, tenant } from '../../ports/samples.contract.ts'
import { someSuppression } from '../../ports/suppressions.contract.ts'
import { openApiKeys } from './access/api-keys.ts'
import { openLimitRules } from './limit-rules.ts'
import { newFile } from './limits.fixture.ts'
import { openRoutes } from './routes.ts'
import { openSetupListing } from './setup-listing.ts'
import { openSqlite } from './sqlite.ts'
import { UNSEALED } from './store.fixture.ts'

const open = (path: string) => openSqlite({ path, clock: stopped, ...UNSEALED, indexBodies: false })
const END = later(NOON, seconds(300))

const someChallenge = (tenantId: TenantId) => ({
  id: randomUUID() as MessageId,
  tenantId,
  accountId: 'shop' as AccountId,
  maxAttempts: 3,
  createdAt: NOON,
  expiresAt: END,
})

test('lists every tenant with data once, and none without', async () => {
  using file = newFile()
  await using engine = await open(file.path)
  using listing = openSetupListing(file.path)
  assert.deepEqual(await listing.tenants(), [])

  const rules = await openLimitRules(engine.writer)
  await rules.set(someLimit({ tenantId: tenant('limited') }))
  const entry = { createdAt: NOON, updatedAt: NOON }
  const [known, gone] = ['known', 'gone'].map((name) => ({ ...entry, id: name as RecipientId, tenantId: tenant(name) }))
  assert.ok(known !== undefined && gone !== undefined)
  for (const one of [known, gone]) await engine.recipients.add(one)
  await engine.recipients.remove(gone.tenantId, gone.id)
  const template = { name: 'hi', locale: 'en', channel: 'sms', texts: { text: 'Hi' }, createdAt: NOON } as const
  for (const name of ['writing', 'limited']) await engine.templates.add({ ...template, tenantId: tenant(name) })
  const [asked, over] = [someChallenge(tenant('asked')), someChallenge(tenant('over'))]
  for (const challenge of [asked, over]) await engine.challenges.begin(challenge)
  await engine.challenges.clear(over, NOON)

  await (await openRoutes(engine.writer, [])).add(someRoute({ tenantId: tenant('routed') }))

  await engine.suppressions.add(someSuppression({ tenantId: tenant('mailing') }))
  await (await openApiKeys(engine.writer)).add(someApiKey({ tenantId: tenant('keyed') }), ROOM)

  assert.deepEqual(await listing.tenants(), ['asked', 'keyed', 'known', 'limited', 'mailing', 'routed', 'writing'])
})

test('lists the uncleared challenges of a tenant page by page, unchanged', async () => {
  using file = newFile()
  await using engine = await open(file.path)
  const { challenges } = engine
  const [north, south] = [tenant('north'), tenant('south')]
  const all = Array.from({ length: 5 }, () => someChallenge(north)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  for (const challenge of [...all, someChallenge(south)]) await challenges.begin(challenge)
  const [armed, verified, cleared] = all
  assert.ok(armed !== undefined && verified !== undefined && cleared !== undefined)
  for (const challenge of [armed, verified]) {
    await challenges.arm(challenge, { hash: 'a hash' as CodeHash, maxAttempts: 3, expiresAt: END })
    await challenges.claim(challenge, NOON)
  }
  await challenges.conclude(verified, 'verified', NOON)
  await challenges.clear(cleared, NOON)

  using listing = openSetupListing(file.path)
  const first = await listing.uncleared({ tenantId: north, limit: 2 })
  assert.deepEqual(first.challenges, await Promise.all([armed, verified].map((one) => challenges.find(one))))
  assert.ok(first.nextCursor !== undefined)
  const rest = await listing.uncleared({ tenantId: north, limit: 2, cursor: first.nextCursor })
  assert.deepEqual(rest, { challenges: all.slice(3).map((one) => ({ ...one, attempts: 0 })) })
})
