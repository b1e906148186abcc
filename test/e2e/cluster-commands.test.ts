/** The commands that work on the stores of a cluster: doctor, rebuild, and moving in from one file. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openCluster, toGateway } from '../support/cluster.ts'
import { type Ended, runPombo } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, startGateway } from '../support/gateway.ts'
import { searchAll } from '../support/index-dump.ts'
import { QUICK } from '../support/routes.ts'
import { inboxOf, magic, send, show, someSms, untilIndexed, untilStatus } from '../support/sms.ts'

const cluster = await openCluster({ plan: { all: 1 }, config: QUICK })
after(() => cluster[Symbol.asyncDispose]())
const [member] = cluster.members
assert.ok(member !== undefined)
const gateway = toGateway(cluster, member)

const run = async (...words: readonly string[]): Promise<Ended> => {
  const ended = await runPombo(words, cluster.settings)
  assert.equal(ended.code, 0, ended.err + ended.out)
  return ended
}

test('doctor finds everything in order', async () => {
  const { out } = await run('doctor', '--json')
  const { ok, checks } = JSON.parse(out)
  assert.equal(ok, true)
  const names = checks.map(({ name }: { name: string }) => name)
  for (const name of [
    'NATS',
    'PostgreSQL',
    'row-level security',
    'clock of NATS',
    'clock of PostgreSQL',
    'callbacks',
  ]) {
    assert.ok(names.includes(name), `${name} in ${names}`)
  }
  assert.deepEqual(
    checks.filter(({ kind }: { kind: string }) => kind !== 'passed'),
    [],
  )
})

test('doctor says what is wrong with a database that was never migrated, and a broker that is not there', async () => {
  await using empty = await cluster.postgres.database()
  const wrong = { ...cluster.settings, POMBO_POSTGRES_URL: empty.appUrl, POMBO_NATS_URL: 'nats://127.0.0.1:1' }
  const { code, out } = await runPombo(['doctor'], wrong)
  assert.equal(code, 1)
  assert.match(out, /✗ NATS: NATS at 127.0.0.1:1 cannot be reached/)
  assert.match(out, /✗ PostgreSQL: .*run `pombo migrate`/)
})

test('migrating again changes nothing', async () => {
  assert.match((await run('migrate')).out, /^the tables are at version \d+ already\n$/)
})

test('the index made again from the log is the same', async () => {
  const ids = [await send(gateway), await send(gateway, { to: magic('0001'), tags: ['a'] })]
  await untilStatus(gateway, ids[0] ?? '', 'delivered')
  await untilStatus(gateway, ids[1] ?? '', 'failed')
  await untilIndexed(gateway)
  const before = await searchAll(gateway, {})
  assert.match((await run('rebuild')).out, /^the index is made again from \d+ events/)
  assert.deepEqual(await searchAll(gateway, {}), before)
})

test('a folder of the embedded profile moves in without loss, and what was waiting is sent', async () => {
  await using folder = await openFolder()
  await using embedded = await startGateway({ folder: folder.path, config: QUICK })
  const sms = someSms({ message: 'Olá from one file', tags: ['moved'] })
  const { body } = await embedded.call<{ request_id: string }>('POST', '/v1/sms/send', sms)
  const done = await untilStatus(embedded, body.request_id, 'delivered')
  const to = magic('0003')
  const waiting = await send(embedded, { to, sender_id: 'Patient' })
  await embedded.kill('SIGTERM')

  const { out } = await run('import', '--json', dataDirOf(folder.path))
  const { messages, events, added } = JSON.parse(out)
  assert.deepEqual([messages, added], [2, events])
  const again = JSON.parse((await run('import', '--json', dataDirOf(folder.path))).out)
  assert.deepEqual([again.messages, again.added], [2, 0])

  assert.deepEqual((await show(gateway, body.request_id)).events, done.events)
  await untilStatus(gateway, waiting, 'delivered')
  assert.equal((await inboxOf(gateway, to)).length, 1)
  const repeated = await gateway.call<{ request_id: string }>('POST', '/v1/sms/send', sms)
  assert.equal(repeated.body.request_id, body.request_id)
  assert.equal(repeated.headers.get('idempotent-replayed'), 'true')
  await untilIndexed(gateway)
  const found = await gateway.call<{ items: unknown[] }>('GET', '/v1/messages?tag=moved')
  assert.equal(found.body.items.length, 1)
})
