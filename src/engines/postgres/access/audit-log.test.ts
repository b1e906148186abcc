import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { sharePostgres } from '../../../../test/support/postgres-server.ts'
import { auditLogContract, someAuditEntry } from '../../../ports/audit-log.contract.ts'
import { openStores } from '../database.fixture.ts'
import { postgresAuditLog } from './audit-log.ts'

const { migrated } = await sharePostgres()

const open = () => openStores(migrated, (db) => ({ auditLog: postgresAuditLog(db) }))

auditLogContract('postgres', open)

const CHANGES = [
  `update pombo.audit_log set body = '{}'`,
  'delete from pombo.audit_log',
  'truncate pombo.audit_log',
  'truncate pombo.audit_log cascade',
  `merge into pombo.audit_log using (select) s on true when matched then delete`,
]

test('SQL cannot change or delete entries, whoever sends it', async () => {
  await using opened = await open()
  const { auditLog, database } = opened
  const { tenantId: _, ...operators } = someAuditEntry()
  const entries = [operators, someAuditEntry()]
  for (const entry of entries) await auditLog.append(entry)

  for (const url of [database.appUrl, database.ownerUrl, database.adminUrl]) {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      const roles = url === database.appUrl ? ['pombo_tenant', 'pombo_system'] : []
      for (const role of ['', ...roles]) {
        for (const sql of CHANGES) {
          await client.query('begin')
          if (role !== '') await client.query(`set local role ${role}`)
          await assertHarmless(client, sql)
          await client.query('rollback')
        }
      }
    } finally {
      await client.end()
    }
  }
  assert.deepEqual(await auditLog.list({ limit: 10 }), entries.toReversed())
})

/** Refused, or it sees no rows: policies hide them from an owner who is not a superuser. */
async function assertHarmless(client: Client, sql: string): Promise<void> {
  const done = await client.query(sql).catch((error: unknown) => error)
  if (done instanceof Error) assert.deepEqual('code' in done && done.code, '42501', sql)
  else assert.equal((done as { rowCount: number | null }).rowCount, 0, sql)
}

test("a tenant can neither add an entry to another's log nor to the operator's", async () => {
  await using opened = await open()
  const client = new Client({ connectionString: opened.database.appUrl })
  await client.connect()
  const id = '01945b3a-8c00-7a30-9d57-0b6f0a3c2e11'
  try {
    for (const owner of [`'south'`, 'null']) {
      await client.query(`begin; set local role pombo_tenant; select set_config('pombo.tenant', 'north', true)`)
      const sql = `insert into pombo.audit_log (id, tenant, action, target, body) values ('${id}', ${owner}, 'a.b', 't', '{}')`
      await assert.rejects(client.query(sql), { code: '42501' })
      await client.query('rollback')
    }
  } finally {
    await client.end()
  }
})
