import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { loadSecrets } from '../config/secrets.ts'
import { frameSealing } from '../engines/crypto/frame-sealer.ts'
import { openSealer } from '../engines/crypto/sealer.ts'
import { openDomains } from '../engines/sqlite/access/domains.ts'
import { openSqlite } from '../engines/sqlite/sqlite.ts'
import { failed } from '../lib/check.ts'
import { instant, toIso } from '../lib/time.ts'
import { append, createdEntry, earlier, hours, NOON, someMessage, stopped } from '../ports/samples.contract.ts'
import { someDomain } from '../ports/sending-domains.contract.ts'
import { checkNode } from './doctor-machine.ts'
import { openTestGateway, run } from './test-world.ts'

function someFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-doctor-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** The checks that did not pass. */
async function problems(env: Record<string, string>, now?: number) {
  const clock = now === undefined ? {} : { clock: () => instant(now) }
  const { code, out } = await run(['doctor', '--json'], { env: { POMBO_PORT: '0', ...env }, ...clock })
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: { name: string; kind: string; detail: string }[] }
  assert.equal(code, ok ? 0 : 1)
  return checks.flatMap(({ name, kind, detail }) => (kind === 'passed' ? [] : [`${kind} ${name}: ${detail}`]))
}

describe('doctor', () => {
  test('passes on a new data folder', async (t) => {
    const dataDir = someFolder(t)
    assert.deepEqual(await problems({ POMBO_DATA_DIR: join(dataDir, 'new') }), [])
    const { out } = await run(['doctor'], { env: { POMBO_PORT: '0', POMBO_DATA_DIR: dataDir } })
    assert.match(out, /^✓ node: 2\d\..*\n✓ settings: profile embedded\n✓ data folder: /)
  })

  test('passes on a data folder in use', async (t) => {
    const dataDir = someFolder(t)
    loadSecrets({ dataDir })
    const db = new DatabaseSync(join(dataDir, 'pombo.db'))
    db.exec('pragma journal_mode = wal; pragma user_version = 3; create table a (b)')
    db.close()
    const { out } = await run(['doctor'], {
      env: { POMBO_PORT: '0', POMBO_DATA_DIR: dataDir },
      clock: () => instant(Date.now()),
    })
    assert.match(out, /^✓ database: .*pombo\.db, 8 KiB, schema 3, quick_check ok$/m)
    assert.match(out, /^✓ disk: \d+ MiB free/m)
    assert.match(out, /^✓ master\.key: only its owner can read it$/m)
    assert.deepEqual(
      readdirSync(dataDir).toSorted(),
      ['jwt.secret', 'master.key', 'pombo.db'],
      'it left nothing behind',
    )
  })

  test('says how long messages are kept, and what is kept apart from them', async (t) => {
    const env = { POMBO_PORT: '0', POMBO_DATA_DIR: someFolder(t), POMBO_RETENTION_DAYS: '90' }
    const { out } = await run(['doctor'], { env })
    assert.match(out, /^✓ retention: messages are deleted 90 days after they were created, once they have ended$/m)
    assert.match(out, /^✓ kept apart from messages: suppressions, limits, /m)
  })

  test('says how many messages are stored, and when the oldest was created', async (t) => {
    const dataDir = someFolder(t)
    const masterKey = randomBytes(32)
    const path = join(dataDir, 'pombo.db')
    const [sealer, sealing] = [openSealer(masterKey), frameSealing(masterKey)]
    const storedIn = async () =>
      (await run(['doctor'], { env: { POMBO_PORT: '0', POMBO_DATA_DIR: dataDir } })).out.match(
        /^✓ stored messages: .*/m,
      )
    assert.equal(await storedIn(), null)
    for (const createdAt of [undefined, NOON, earlier(NOON, hours(24))]) {
      const { log, ...engine } = await openSqlite({ path, clock: stopped, sealer, sealing, indexBodies: false })
      if (createdAt !== undefined) await append(log, createdEntry(someMessage({ createdAt })))
      await engine[Symbol.asyncDispose]()
      const oldest = createdAt === undefined ? 'none' : `about \\d, the oldest from ${toIso(createdAt)}`
      assert.match((await storedIn())?.[0] ?? '', new RegExp(`^✓ stored messages: ${oldest}$`))
    }
  })

  test('says whether senders are restricted', async (t) => {
    const dataDir = someFolder(t)
    const masterKey = randomBytes(32)
    const sendersIn = async () =>
      /^✓ senders: (.*)$/m.exec((await run(['doctor'], { env: { POMBO_PORT: '0', POMBO_DATA_DIR: dataDir } })).out)?.[1]
    assert.match((await sendersIn()) ?? '', /^all senders allowed: /)
    const [sealer, sealing] = [openSealer(masterKey), frameSealing(masterKey)]
    const options = { path: join(dataDir, 'pombo.db'), clock: stopped, sealer, sealing, indexBodies: false }
    const { writer, ...engine } = await openSqlite(options)
    await (await openDomains(writer)).add(someDomain({ verifiedAt: NOON }))
    await engine[Symbol.asyncDispose]()
    const rest = 'tenants without a list may use all other senders'
    assert.equal(await sendersIn(), `restricted by the lists of 0 tenants and by 1 verified domain; ${rest}`)
  })

  test('names the providers that are reserved', async (t) => {
    const providers = [
      { name: 'shared', kind: 'simulator' },
      { name: 'acme-sim', kind: 'simulator', tenants: ['acme', 'acme-eu'] },
    ]
    const env = { POMBO_PORT: '0', POMBO_DATA_DIR: someFolder(t), POMBO_CONFIG: 'pombo.json' }
    const { out } = await run(['doctor'], { env, readFile: () => JSON.stringify({ providers }) })
    assert.deepEqual(out.match(/^. provider .*$/gm), ['✓ provider acme-sim: reserved for acme, acme-eu'])
  })

  test('reports a secret that other users can read', async (t) => {
    const dataDir = someFolder(t)
    loadSecrets({ dataDir })
    chmodSync(join(dataDir, 'master.key'), 0o644)
    assert.match(
      (await problems({ POMBO_DATA_DIR: dataDir })).join(),
      /^failed master\.key: .*`chmod 600 .*master\.key`$/,
    )
  })

  for (const [name, written, problem] of [
    ['pombo.db', 'this is no database at all, but long enough to look like one'.repeat(99), /not a database/],
    ['pombo.db', '', /pombo\.db is damaged \(it is empty\): restore a backup with `pombo restore`/],
    ['pombo.db-wal', 'what is left', /pombo\.db is missing and its write-ahead log .*pombo\.db-wal is there/],
    ['pombo.db.restoring', 'half of it', /a restore was interrupted/],
  ] as const) {
    test(`reports a database that cannot be used: ${problem.source}`, async (t) => {
      const dataDir = someFolder(t)
      writeFileSync(join(dataDir, name), written)
      const found = await problems({ POMBO_DATA_DIR: dataDir }, Date.now())
      assert.match(found.join(), problem)
      assert.ok(found.join().startsWith('failed database: '))
    })
  }

  test('reports a damaged page in a database with an intact header', async (t) => {
    const dataDir = someFolder(t)
    const path = join(dataDir, 'pombo.db')
    using db = new DatabaseSync(path)
    db.exec('create table a (b)')
    db.exec(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 50) insert into a select randomblob(3000) from n`,
    )
    db.close()
    const fd = openSync(path, 'r+')
    writeSync(fd, Buffer.alloc(4096, 0xff), 0, 4096, 3 * 4096)
    closeSync(fd)
    assert.match((await problems({ POMBO_DATA_DIR: dataDir }, Date.now())).join(), /^failed database: .* is damaged/)
  })

  test('reports that codes cannot be hashed', async (t) => {
    const dataDir = someFolder(t)
    const checkCodes = async () => failed('codes', 'cannot be hashed: no binding')
    const ran = await run(['doctor'], { env: { POMBO_PORT: '0', POMBO_DATA_DIR: dataDir }, checkCodes })
    assert.equal(ran.code, 1)
    assert.match(ran.out, /^✗ codes: cannot be hashed: no binding$/m)
  })

  test('reports a data folder that is a file', async (t) => {
    const path = join(someFolder(t), 'data')
    writeFileSync(path, '')
    assert.match((await problems({ POMBO_DATA_DIR: path })).join(), /^failed data folder: .* is not a folder/)
  })

  test('reports a wrong clock', async (t) => {
    const dataDir = someFolder(t)
    assert.match((await problems({ POMBO_DATA_DIR: dataDir }, 0)).join(), /^failed clock: this machine says 1970-01-01/)
  })

  test('reports wrong settings and warns about misspelt ones', async (t) => {
    const dataDir = someFolder(t)
    assert.match((await problems({ POMBO_MAX_PARTS: 'x' })).join(), /^failed settings: POMBO_MAX_PARTS must be/)
    const [warning] = await problems({ POMBO_DATA_DIR: dataDir, POMBO_PROT: '1' })
    assert.match(warning ?? '', /^warned settings: POMBO_PROT is not a setting/)
  })

  test('tells a gateway on its port from another program', async (t) => {
    const dataDir = someFolder(t)
    const portOf = (url: string): string => new URL(url).port
    await using ready = await openTestGateway(() => ({ status: 'ready' }))
    assert.deepEqual(await problems({ POMBO_DATA_DIR: dataDir, POMBO_PORT: portOf(ready.url) }), [])

    const other = createServer((socket) => socket.end('who is there?\n'))
    t.after(() => other.close())
    await once(other.listen(0, '127.0.0.1'), 'listening')
    const address = other.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    assert.match(
      (await problems({ POMBO_DATA_DIR: dataDir, POMBO_PORT: port })).join(),
      /^failed port: another program uses port/,
    )
  })

  test('reports an old Node', () => {
    assert.equal(checkNode('24.11.9').kind, 'failed')
    assert.equal(checkNode('24.12.0').kind, 'passed')
    assert.equal(checkNode('26.0.0').kind, 'passed')
  })
})
