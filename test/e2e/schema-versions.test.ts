/** This release on the schema of a later one: what starts, what does not, and what is logged. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { latestVersion } from '../../src/engines/postgres/migrations.ts'
import { openCluster, toGateway } from '../support/cluster.ts'
import { runPombo, startPombo } from '../support/command.ts'
import { openRelease, type Release } from '../support/release.ts'
import { QUICK } from '../support/routes.ts'
import { search, send, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

const OURS = latestVersion()
const EXPAND = 'alter table pombo.messages add column later text'
const CONTRACT = `-- compatible-with: ${OURS + 1}
alter table pombo.messages drop column later`

const cluster = await openCluster({ plan: { all: 1 }, config: QUICK })
after(() => cluster[Symbol.asyncDispose]())
const [member] = cluster.members
assert.ok(member !== undefined)
const gateway = toGateway(cluster, member)

async function migrateTo(release: Release): Promise<void> {
  const { code, out, err } = await release.migrate(cluster.settings)
  assert.equal(code, 0, err)
  assert.equal(JSON.parse(out).to, release.schema)
}

async function works(): Promise<void> {
  const id = await send(gateway)
  await untilStatus(gateway, id, 'delivered')
  await untilIndexed(gateway)
  assert.ok((await search(gateway, {})).items.some(({ id: found }) => found === id))
}

test('a process starts on an expanded schema and logs that it is newer', async () => {
  await using next = await openRelease(EXPAND)
  await migrateTo(next)
  await works()
  await member.kill('SIGKILL')
  await member.start()
  await works()

  const talking = startPombo(['serve'], { ...cluster.settings, POMBO_PORT: '0', POMBO_LOG_LEVEL: 'info' })
  const line = await until('a log line about the schema', () => {
    assert.equal(talking.hasEnded(), false, talking.err())
    return /^.*schema is newer.*$/m.exec(talking.err())?.[0]
  })
  await talking.kill('SIGKILL')
  const { database, code } = JSON.parse(line)
  assert.deepEqual([database, code], [OURS + 1, OURS])
})

test('commands accept an expanded schema and report it', async () => {
  const doctor = await runPombo(['doctor'], cluster.settings)
  assert.equal(doctor.code, 0, doctor.out)
  assert.match(
    doctor.out,
    new RegExp(`^! schema: version ${OURS + 1}, newer than this release, .* schema ${OURS};`, 'm'),
  )
  const migrate = await runPombo(['migrate'], cluster.settings)
  assert.deepEqual([migrate.code, migrate.err], [0, ''])
  assert.match(
    migrate.out,
    new RegExp(`already at version ${OURS + 1}; this release expects version ${OURS} and works`),
  )
})

test('a process does not start on a contracted schema, and says what to do', async () => {
  await using last = await openRelease(EXPAND, CONTRACT)
  await migrateTo(last)
  await works()
  await member.kill('SIGKILL')
  await assert.rejects(member.start())
  const { code, err } = await member.exited()
  assert.equal(code, 78)
  const sentence = `the database is at schema ${OURS + 2}, which needs a release of schema ${OURS + 1} or newer, and this release is of schema ${OURS}: start a newer release`
  assert.ok(err.startsWith(`pombo: ${sentence}`), err)
  assert.equal((await runPombo(['migrate'], cluster.settings)).code, 78)
  const doctor = await runPombo(['doctor'], cluster.settings)
  assert.match(doctor.out, /^✗ PostgreSQL: the database is at schema .* needs a release of schema/m)
  await member.start(last.main)
  await works()
})
