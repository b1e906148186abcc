/** The tests every audit log must pass. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { ApiKeyId } from '../domain/access/api-key.ts'
import type { AuditEntry, AuditId } from '../domain/access/audit.ts'
import type { UserId } from '../domain/access/user.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { type Instant, later, millis, seconds } from '../lib/time.ts'
import type { AuditLog, AuditQuery } from './audit-log.ts'
import { NOON, tenant } from './samples.contract.ts'
import type { Ids } from './world.ts'

/** The log may be shared: every test uses tenants, actors and targets of its own. */
export type OpenAuditLog = () => Promise<Readonly<{ auditLog: AuditLog }> & AsyncDisposable>

/** By time, because the ids of one generator never go back. */
const idsAt = new Map<Instant, Ids>()

function idAt(at: Instant): AuditId {
  const ids = idsAt.get(at) ?? openIds()
  idsAt.set(at, ids)
  return ids.auditId(at)
}

/** An entry, by default of a new tenant. */
export function someAuditEntry(wanted: Partial<AuditEntry> = {}): AuditEntry {
  const { at = NOON } = wanted
  return {
    id: idAt(at),
    at,
    tenantId: tenant(randomUUID()),
    actor: { kind: 'token', subject: randomUUID() },
    address: '203.0.113.7',
    httpRequestId: '8f14e45fceea167a-2s',
    action: 'route.changed',
    target: { kind: 'route', id: randomUUID() },
    ...wanted,
  }
}

export function auditLogContract(engine: string, open: OpenAuditLog): void {
  describe(`audit log on ${engine}`, { timeout: 120_000 }, () => {
    adding(open)
    finding(open)
  })
}

function adding(open: OpenAuditLog): void {
  test('keeps entries of every actor as given', async () => {
    await using opened = await open()
    const { auditLog } = opened
    const tenantId = tenant(randomUUID())
    const entries = [
      someAuditEntry({ tenantId, actor: { kind: 'token' } }),
      someAuditEntry({ tenantId, actor: { kind: 'api_key', id: randomUUID() as ApiKeyId, name: 'CI "nightly" 👍' } }),
      someAuditEntry({ tenantId, actor: { kind: 'user', id: randomUUID() as UserId, email: 'eva@example.com' } }),
      someAuditEntry({
        tenantId,
        before: { prefix: null, providers: ['one'] },
        after: { prefix: '+55', nested: [{}] },
      }),
    ]
    for (const entry of entries) assert.equal(await auditLog.append(entry), true)
    assert.deepEqual(await auditLog.list({ tenantId, limit: 10 }), entries.toReversed())
  })

  test('an entry is never replaced by another with its id', async () => {
    await using opened = await open()
    const { auditLog } = opened
    const entry = someAuditEntry()
    const { tenantId } = entry
    assert.ok(tenantId !== undefined)
    assert.equal(await auditLog.append(entry), true)
    for (const other of [entry, { ...entry, action: 'route.removed' as const }, someAuditEntry({ id: entry.id })]) {
      assert.equal(await auditLog.append(other), false)
    }
    assert.deepEqual(await auditLog.list({ tenantId, limit: 10 }), [entry])
  })

  test('stores an actor whose name is very long or contains NUL', async () => {
    await using opened = await open()
    const { auditLog } = opened
    const tenantId = tenant(randomUUID())
    const subjects = ['\0', `a\0${randomUUID()}`, Array.from({ length: 200 }, () => randomUUID()).join('')]
    const entries = subjects.map((subject) => someAuditEntry({ tenantId, actor: { kind: 'token', subject } }))
    for (const entry of entries) assert.equal(await auditLog.append(entry), true)
    assert.deepEqual(await auditLog.list({ tenantId, limit: 10 }), entries.toReversed())
  })
}

function finding(open: OpenAuditLog): void {
  test("a tenant's list has its own entries, and only the list of all has those of the operator", async () => {
    await using opened = await open()
    const { auditLog } = opened
    const target = { kind: 'provider', id: randomUUID() }
    const { tenantId: _, ...operators } = someAuditEntry({ target })
    const [mine, theirs] = [someAuditEntry({ target }), someAuditEntry({ target })]
    for (const entry of [operators, mine, theirs]) await auditLog.append(entry)
    const list = (of: Partial<AuditQuery>) => auditLog.list({ target: target.id, limit: 10, ...of })
    assert.deepEqual(await list({}), [theirs, mine, operators])
    for (const entry of [mine, theirs]) {
      assert.deepEqual(await list(entry.tenantId === undefined ? {} : { tenantId: entry.tenantId }), [entry])
    }
    assert.deepEqual(await list({ tenantId: tenant(randomUUID()) }), [])
  })

  test('finds entries by action, actor, target and time, also together', async () => {
    await using opened = await open()
    const { auditLog } = opened
    const tenantId = tenant(randomUUID())
    const [early, late] = [later(NOON, millis(-1)), later(NOON, seconds(1))]
    const key = { kind: 'api_key', id: randomUUID() as ApiKeyId, name: 'CI' } as const
    const [first, second, third] = [
      someAuditEntry({ tenantId, at: early }),
      someAuditEntry({ tenantId, actor: key, action: 'template.changed' }),
      someAuditEntry({ tenantId, actor: key, at: late }),
    ]
    for (const entry of [first, second, third]) await auditLog.append(entry)
    const list = (where: Partial<AuditQuery>) => auditLog.list({ tenantId, limit: 10, ...where })
    assert.deepEqual(await list({ action: 'route.changed' }), [third, first])
    assert.deepEqual(await list({ actor: key.id }), [third, second])
    assert.deepEqual(await list({ target: first.target.id }), [first])
    assert.deepEqual(await list({ from: NOON }), [third, second])
    assert.deepEqual(await list({ to: NOON }), [first])
    assert.deepEqual(await list({ from: NOON, to: late }), [second])
    assert.deepEqual(await list({ actor: key.id, action: 'route.changed', target: third.target.id, from: late }), [
      third,
    ])
    assert.deepEqual(await list({ actor: key.id, target: first.target.id }), [])
  })

  test('pages from the newest to the oldest, also those of one millisecond', async () => {
    await using opened = await open()
    const { auditLog } = opened
    const tenantId = tenant(randomUUID())
    const entries = Array.from({ length: 25 }, () => someAuditEntry({ tenantId }))
    for (const entry of entries.toSorted((one, other) => (one.target.id < other.target.id ? 1 : -1))) {
      await auditLog.append(entry)
    }
    const found: AuditEntry[] = []
    for (let before: AuditId | undefined, page: readonly AuditEntry[] = []; ; before = page.at(-1)?.id) {
      page = await auditLog.list({ tenantId, limit: 10, ...(before === undefined ? {} : { before }) })
      if (page.length === 0) break
      found.push(...page)
    }
    assert.deepEqual(found, entries.toReversed())
  })
}
