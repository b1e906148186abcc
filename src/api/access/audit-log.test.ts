import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { describe, test } from 'node:test'
import { memoryAuditLog } from '../../../test/memory/audit-log.ts'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { until } from '../../../test/support/until.ts'
import type { AuditEntry } from '../../domain/access/audit.ts'
import type { TenantId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, seconds } from '../../lib/time.ts'
import { someAuditEntry } from '../../ports/audit-log.contract.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import { NOON } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openFixture } from '../server.fixture.ts'
import type { AuditView } from './audit-schemas.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const ADMIN = { scope: 'admin', sub: 'eva' }
const OPERATOR = { scope: 'operator', tenant_id: 'ops', sub: 'root' }
const ACME = 'acme' as TenantId

async function open(auditLog: AuditLog = memoryAuditLog()) {
  const api = await openFixture(world, { auditLog })
  return { ...api, auditLog, admin: await api.caller(ADMIN), operator: await api.caller(OPERATOR) }
}

type Answer = Readonly<{ json: () => { items: AuditView[]; next_cursor: string | null } }>
const idsOf = (answer: Answer): readonly string[] => answer.json().items.map(({ id }) => id)

describe('listing the audit log', () => {
  test('shows who changed what, from where, before and after', async () => {
    await using api = await open()
    await api.admin('POST', '/v1/routes', { id: 'brazil', channel: 'sms', providers: ['fake'], prefix: '+55' })
    await api.admin('PATCH', '/v1/routes/brazil', { prefix: null })
    const [changed, created] = (await api.admin('GET', '/v1/audit')).json().items
    const { id, http_request_id: requestId, before, after, ...rest } = changed
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    assert.match(requestId, /-/)
    assert.deepEqual([before.prefix, after.prefix], ['+55', null])
    assert.deepEqual(rest, {
      at: '2030-01-31T12:00:00.000Z',
      tenant_id: 'acme',
      actor: { kind: 'token', id: 'eva', name: null, tenant_id: null },
      address: '127.0.0.1',
      action: 'route.changed',
      target: { kind: 'route', id: 'brazil' },
    })
    assert.deepEqual([created.action, created.before], ['route.created', null])
  })

  test('an admin sees its tenant, an operator everything or the tenant it names', async () => {
    await using api = await open()
    const { tenantId: _, ...operators } = someAuditEntry()
    const [mine, theirs] = [someAuditEntry({ tenantId: ACME }), someAuditEntry({ tenantId: 'globex' as TenantId })]
    for (const entry of [operators, mine, theirs]) await api.auditLog.append(entry)
    const { admin, operator } = api
    assert.deepEqual(idsOf(await admin('GET', '/v1/audit')), [mine.id])
    assert.deepEqual(idsOf(await admin('GET', '/v1/audit?tenant_id=acme')), [mine.id])
    assert.equal((await admin('GET', '/v1/audit?tenant_id=globex')).statusCode, 403)
    assert.deepEqual(idsOf(await operator('GET', '/v1/audit')), [theirs.id, mine.id, operators.id])
    assert.deepEqual(idsOf(await operator('GET', '/v1/audit?tenant_id=globex')), [theirs.id])
    assert.equal((await operator('GET', '/v1/audit?tenant_id=no%20body')).statusCode, 400)
    const asAcme = await operator('GET', '/v1/audit', undefined, { 'pombo-tenant': 'acme' })
    assert.deepEqual(idsOf(asAcme), [mine.id])
  })

  test('an entry says of which tenant an operator is who acts for another, or for all', async () => {
    await using api = await open()
    const route = { id: 'brazil', channel: 'sms', providers: ['fake'] }
    const acme = { 'pombo-tenant': 'acme' }
    await api.operator('POST', '/v1/routes', route, acme)
    await api.operator('POST', '/v1/routes', route, { ...acme, 'pombo-mode': 'test' })
    await api.operator('POST', '/v1/routes', route, { 'pombo-mode': 'test' })
    await api.operator('POST', '/v1/routes', route, { 'pombo-tenant': 'ops' })
    await api.operator('POST', '/v1/tenants', { id: 'globex' })
    await api.operator('POST', '/v1/providers/fake/breaker', { action: 'trip' })
    const { items } = (await api.operator('GET', '/v1/audit')).json()
    assert.deepEqual(
      items.map(({ actor, tenant_id: of }: AuditView) => [actor.id, of, actor.tenant_id]),
      [
        ['root', null, 'ops'],
        ['root', 'globex', 'ops'],
        ['root', 'ops', null],
        ['root', 'ops~test', null],
        ['root', 'acme~test', 'ops'],
        ['root', 'acme', 'ops'],
      ],
    )
  })

  test('test mode has its own entries', async () => {
    await using api = await open()
    const testing = { 'pombo-mode': 'test' }
    const route = { id: 'brazil', channel: 'sms', providers: ['fake'] }
    await api.admin('POST', '/v1/routes', route, testing)
    assert.deepEqual(idsOf(await api.admin('GET', '/v1/audit')), [])
    const [entry] = (await api.admin('GET', '/v1/audit', undefined, testing)).json().items
    assert.deepEqual([entry.action, entry.tenant_id], ['route.created', 'acme~test'])
  })

  test('in test mode an operator sees what was done there, and no other tenant', async () => {
    await using api = await open()
    await api.operator('POST', '/v1/tenants', { id: 'globex' })
    const tested = await api.caller({ ...OPERATOR, test: true })
    assert.deepEqual(idsOf(await tested('GET', '/v1/audit')), [])
    assert.equal((await tested('GET', '/v1/audit?tenant_id=globex')).statusCode, 403)
    const testing = { 'pombo-mode': 'test' }
    assert.equal((await api.operator('GET', '/v1/audit?tenant_id=globex', undefined, testing)).statusCode, 403)
  })

  test('filters, and pages from the newest to the oldest', async () => {
    await using api = await open()
    const entries = Array.from({ length: 5 }, (_, nth) =>
      someAuditEntry({ tenantId: ACME, at: later(NOON, seconds(nth)), target: { kind: 'route', id: `r${nth}` } }),
    )
    for (const entry of entries) await api.auditLog.append(entry)
    const newest = entries.map(({ id }) => id).toReversed()
    const first = await api.admin('GET', '/v1/audit?limit=3')
    assert.deepEqual(idsOf(first), newest.slice(0, 3))
    const second = await api.admin('GET', `/v1/audit?limit=3&cursor=${first.json().next_cursor}`)
    assert.deepEqual([idsOf(second), second.json().next_cursor], [newest.slice(3), null])
    const [from, to] = [1, 3].map((nth) => new Date(NOON + nth * 1000).toISOString())
    assert.deepEqual(idsOf(await api.admin('GET', `/v1/audit?from=${from}&to=${to}`)), newest.slice(2, 4))
    assert.deepEqual(idsOf(await api.admin('GET', '/v1/audit?target=r1')), [newest[3]])
    assert.deepEqual(idsOf(await api.admin('GET', '/v1/audit?action=route.removed')), [])
    const { actor } = entries[0] as AuditEntry
    assert.deepEqual(idsOf(await api.admin('GET', `/v1/audit?actor=${'subject' in actor && actor.subject}`)), [
      newest[4],
    ])
    for (const query of ['cursor=x', 'from=noon', 'limit=0', 'page=2']) {
      assert.equal((await api.admin('GET', `/v1/audit?${query}`)).statusCode, 400, query)
    }
  })

  test('needs the scope admin', async () => {
    await using api = await open()
    const reader = await api.caller()
    for (const path of ['/v1/audit', '/v1/audit/export']) {
      assert.equal((await reader('GET', path)).statusCode, 403)
    }
  })
})

describe('exporting the audit log', () => {
  const add = async (auditLog: AuditLog, count: number, padding = '') => {
    for (let nth = 0; nth < count; nth += 1) {
      await auditLog.append(someAuditEntry({ tenantId: ACME, after: { padding, nth } }))
    }
  }

  test('writes every entry as a line of JSON, newest first, and records the export', async () => {
    await using api = await open()
    await add(api.auditLog, 250)
    const answer = await api.admin('GET', '/v1/audit/export')
    assert.deepEqual(
      [answer.statusCode, answer.headers['content-type'], answer.headers['cache-control']],
      [200, 'application/x-ndjson', 'no-store'],
    )
    const lines = answer.body.trimEnd().split('\n')
    const numbers = lines.map((line) => JSON.parse(line).after.nth)
    assert.deepEqual(
      numbers,
      Array.from({ length: 250 }, (_, nth) => 249 - nth),
    )
    const [recorded] = (await api.admin('GET', '/v1/audit?limit=1')).json().items
    assert.deepEqual([recorded.action, recorded.target], ['audit_log.exported', { kind: 'audit_log', id: 'acme' }])
    assert.equal((await api.admin('GET', '/v1/audit/export?target=none')).body, '')
  })

  test('writes CSV that a spreadsheet cannot take for formulas', async () => {
    await using api = await open()
    const actor = { kind: 'token', subject: '=HYPERLINK("http://x")' } as const
    await api.auditLog.append(someAuditEntry({ tenantId: ACME, actor, target: { kind: 'route', id: '@sum' } }))
    const answer = await api.admin('GET', '/v1/audit/export?format=csv')
    assert.equal(answer.headers['content-disposition'], 'attachment; filename="audit-log.csv"')
    const [head, line, end] = answer.body.split('\r\n')
    assert.equal(
      head,
      'id,at,tenant_id,actor_kind,actor_id,actor_name,actor_tenant_id,address,http_request_id,action,target_kind,target_id,before,after',
    )
    assert.match(line ?? '', /,acme,token,"'=HYPERLINK\(""http:\/\/x""\)",,,203\.0\.113\.7,.*,route,'@sum,,$/)
    assert.equal(end, '')
    assert.equal((await api.admin('GET', '/v1/audit/export?format=xml')).statusCode, 400)
  })

  test('reads 10,000 entries no faster than the caller takes them', async () => {
    const stored = memoryAuditLog()
    await add(stored, 10_000, 'x'.repeat(2_000))
    let pages = 0
    const list: AuditLog['list'] = (query) => {
      pages += 1
      return stored.list(query)
    }
    await using api = await open({ ...stored, list })
    await api.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = api.app.server.address() as AddressInfo
    const head = ['host: x', `authorization: Bearer ${await api.token(ADMIN)}`, 'connection: close']
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(`GET /v1/audit/export HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
    await once(socket, 'readable')

    let before = 0
    const isWaiting = async () => {
      const hasStopped = pages === before
      before = pages
      return hasStopped
    }
    await until('the export to wait for its reader', isWaiting, { everyMs: 200 })
    // What fits into the buffers of two sockets, far from all of the 101.
    assert.ok(pages < 60, `${pages} pages were read`)

    const texts: string[] = []
    socket.on('data', (bytes) => texts.push(bytes.toString('latin1')))
    await once(socket, 'close')
    assert.equal(texts.join('').split('"http_request_id"').length - 1, 10_000)
    assert.equal(pages, 101)
  })

  test('breaks off when the log cannot be read any more, so that nobody takes a part for the whole', async () => {
    const stored = memoryAuditLog()
    await add(stored, 300)
    let isAway = false
    const list: AuditLog['list'] = async (query) => {
      if (query.before !== undefined && isAway) throw new Unavailable('gone')
      return stored.list(query)
    }
    await using api = await open({ ...stored, list })
    isAway = true
    const url = await api.app.listen({ port: 0, host: '127.0.0.1' })
    const headers = { authorization: `Bearer ${await api.token(ADMIN)}` }
    const answer = await fetch(`${url}/v1/audit/export`, { headers })
    assert.equal(answer.status, 200)
    await assert.rejects(answer.text())
    assert.ok(api.lines.some(({ msg }) => msg === 'audit: export failed'))
  })

  test('shows nothing when the export cannot be recorded', async () => {
    const stored = memoryAuditLog()
    await add(stored, 3)
    const away = { ...stored, append: () => Promise.reject(new Unavailable('full')) }
    await using api = await open(away)
    const answer = await api.admin('GET', '/v1/audit/export')
    assert.deepEqual([answer.statusCode, answer.json().error_code], [503, 'UNAVAILABLE'])
    assert.match(answer.json().detail, /nothing is shown/)
    assert.equal(answer.headers['content-disposition'], undefined)
  })
})

test('an operator who exports everything is recorded for the operator, not for a tenant', async () => {
  await using api = await open()
  await api.operator('GET', '/v1/audit/export')
  await api.operator('GET', '/v1/audit/export?tenant_id=acme')
  const [ofAcme, ofAll] = (await api.operator('GET', '/v1/audit')).json().items
  assert.deepEqual([ofAll.tenant_id, ofAll.target.id], [null, 'all'])
  assert.deepEqual([ofAcme.tenant_id, ofAcme.target.id, ofAcme.actor.id], ['acme', 'acme', 'root'])
  assert.deepEqual(idsOf(await api.admin('GET', '/v1/audit')), [ofAcme.id])
})
