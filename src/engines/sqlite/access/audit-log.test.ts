import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { auditLogContract, someAuditEntry } from '../../../ports/audit-log.contract.ts'
import { stopped } from '../../../ports/samples.contract.ts'
import { newFile } from '../limits.fixture.ts'
import { openSqlite } from '../sqlite.ts'
import { UNSEALED } from '../store.fixture.ts'

async function open() {
  const file = newFile()
  const engine = await openSqlite({ path: file.path, clock: stopped, ...UNSEALED, indexBodies: false })
  return {
    auditLog: engine.auditLog,
    path: file.path,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      file[Symbol.dispose]()
    },
  }
}

auditLogContract('sqlite', open)

test('SQL can add entries, but not change, replace or delete them', async () => {
  await using opened = await open()
  const { auditLog, path } = opened
  const entry = someAuditEntry()
  await auditLog.append(entry)
  using db = new DatabaseSync(path)
  const columns = '(id, tenant, action, actor, target, body)'
  const other = `('${entry.id}', 'other', 'a.b', null, 't', '{}')`
  assert.throws(() => db.exec(`update audit_log set body = '{}'`), /cannot be changed/)
  assert.throws(() => db.exec('delete from audit_log'), /cannot be deleted/)
  db.exec(`insert or replace into audit_log ${columns} values ${other}`)
  db.exec(`insert into audit_log ${columns} values ${other} on conflict do nothing`)
  db.exec(`insert into audit_log ${columns} values ${other} on conflict (id) do update set body = '{}'`)
  assert.deepEqual(await auditLog.list({ limit: 10 }), [entry])
})

test('every list is answered by an index', async () => {
  await using opened = await open()
  using db = new DatabaseSync(opened.path)
  for (const column of ['tenant', 'action', 'actor', 'target']) {
    const plan = db.prepare(
      `explain query plan select body from audit_log where ${column} = 'x' and id < 'y' order by id desc`,
    )
    const steps = plan.all().map(({ detail }) => String(detail))
    assert.deepEqual(steps.length, 1)
    assert.match(steps[0] ?? '', new RegExp(`SEARCH audit_log USING INDEX audit_log_${column}`))
  }
})
