/**
 * Rehearses the runbook's "Backup and restore" for a cluster: backs up the streams while the gateway accepts messages,
 * empties NATS and the database, and restores everything as documented.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { type Cluster, type Member, openCluster, toGateway } from '../support/cluster.ts'
import { runPombo } from '../support/command.ts'
import { sendMail } from '../support/email.ts'
import type { Gateway } from '../support/gateway.ts'
import { QUICK } from '../support/routes.ts'
import { inboxOf, magic, send, show, someSms, untilEvent, untilIndexed, untilStatus } from '../support/sms.ts'
import { openStreamBackups, type StreamBackup } from '../support/stream-backup.ts'
import { until } from '../support/until.ts'
import { textOf } from './files.ts'

/** A retry delay longer than the backup and restore. */
const LATER = { retry: { delays_seconds: [10] } }
const ROUTES = [
  ...QUICK.routes,
  { id: 'later', channel: 'sms', sender: 'Later', providers: ['simulator'], ...LATER },
  { id: 'mail', channel: 'email', providers: ['simulator'], ...LATER },
]
/** Too large for one event, so that it is stored in separate chunks. */
const LARGE = randomBytes(1_500_000).toString('base64')
const ATTACHED = {
  subject: 'Large',
  attachments: [{ filename: 'large.bin', content_type: 'video/mp4', content: LARGE }],
}

const cluster = await openCluster({
  plan: { api: 1, worker: 1, projector: 1 },
  nats: {},
  config: { routes: ROUTES },
  env: { POMBO_INTEGRATION_EVENTS: 'always' },
})
after(() => cluster[Symbol.asyncDispose]())
const prefix = cluster.settings['POMBO_NATS_PREFIX'] ?? ''
const only = (role: string): Member => {
  const [member] = cluster.withRole(role)
  assert.ok(member !== undefined)
  return member
}
const gateway = toGateway(cluster, only('api'))

/** The streams that the runbook backs up, in its order. */
const streamsToBackUp = (): readonly string[] =>
  [...textOf('docs/operations.md').matchAll(/^nats stream backup POMBO(_[A-Z]+)/gm)].map(
    ([, name]) => `${prefix}${name}`,
  )

test('after the streams are restored into an empty cluster every acknowledged message exists, and waiting ones are sent', {
  timeout: 240_000,
}, async (t) => {
  const numbers = Array.from({ length: 5 }, () => someSms().to)
  const ended = await Promise.all(numbers.map((to) => send(gateway, { to })))
  for (const id of ended) await untilStatus(gateway, id, 'delivered')
  const largeEnded = await sendMail(gateway, ATTACHED)
  await untilStatus(gateway, largeEnded, 'delivered')
  const delayed = [
    await send(gateway, { to: magic('0003'), sender_id: 'Later' }),
    await sendMail(gateway, { ...ATTACHED, to: 'flaky+rehearsal@sim.pombo.test' }),
  ]
  for (const id of delayed) await untilEvent(gateway, id, 'RetryScheduled')
  await untilIndexed(gateway)
  await only('worker').kill('SIGTERM')
  const fresh = Array.from({ length: 3 }, () => someSms().to)
  const queued = await Promise.all(fresh.map((to) => send(gateway, { to, tags: ['queued'] })))

  const acknowledged = [...ended, largeEnded, ...delayed, ...queued]
  const before = await Promise.all(acknowledged.map((id) => show(gateway, id)))
  const published = await countIntegrationEvents(cluster)
  const backups = await backUpAll(cluster)
  const late = await send(gateway)

  await Promise.all(cluster.members.map((member) => member.kill('SIGKILL')))
  await emptyBroker(cluster)
  await emptyDatabase(cluster)
  await restoreAll(cluster, backups)
  assert.equal((await runPombo(['migrate'], cluster.settings)).code, 0)

  await only('projector').start()
  await only('api').start()
  await untilIndexed(gateway)
  const found = await Promise.all(acknowledged.map((id) => show(gateway, id)))
  assert.deepEqual(
    found.map(({ status, events }) => ({ status, events })),
    before.map(({ status, events }) => ({ status, events })),
  )
  for (const id of acknowledged) assert.equal(await contentStatusOf(gateway, id), 200)
  assert.equal(
    (await gateway.call('GET', `/v1/messages/${late}`)).status,
    404,
    'a message after the backup is not restored',
  )
  const doctor = await runPombo(['doctor'], cluster.settings)
  assert.equal(doctor.code, 0, doctor.out)
  assert.ok((await countIntegrationEvents(cluster)) < published, 'integration events were published again')

  await only('worker').start()
  for (const id of [...queued, ...delayed]) await untilStatus(gateway, id, 'delivered', { withinMs: 60_000 })
  const received = await Promise.all([...numbers, ...fresh].map(async (to) => (await inboxOf(gateway, to)).length))
  assert.deepEqual(received, Array(8).fill(1), 'every acknowledged message exactly once')
  t.diagnostic(
    backups
      .map(({ name, chunks }) => `${name} ${chunks.reduce((sum, { length }) => sum + length, 0)} bytes`)
      .join(', '),
  )
})

/** The status of reading a message's content, which needs its key and, if large, its chunks. */
const contentStatusOf = async ({ call }: Gateway, id: string): Promise<number> =>
  (await call('GET', `/v1/messages/${id}/content`)).status

async function backUpAll({ nats }: Cluster): Promise<readonly StreamBackup[]> {
  await using streams = await openStreamBackups(nats.url)
  const backups: StreamBackup[] = []
  for (const name of streamsToBackUp()) backups.push(await streams.backUp(name))
  assert.ok(backups.length > 1)
  return backups
}

async function restoreAll({ nats }: Cluster, backups: readonly StreamBackup[]): Promise<void> {
  await using streams = await openStreamBackups(nats.url)
  assert.deepEqual(await streams.names(), [], 'NATS must be empty')
  for (const backup of backups) await streams.restore(backup)
}

/** The number of integration events. */
async function countIntegrationEvents({ nats }: Cluster): Promise<number> {
  await using streams = await openStreamBackups(nats.url)
  return await until('the stream of integration events', () => streams.count(`${prefix}_EVENTS`))
}

async function emptyBroker({ nats }: Cluster): Promise<void> {
  assert.ok(nats.faults !== undefined)
  await nats.faults.kill()
  for (const folder of nats.faults.folders) await rm(folder, { recursive: true, force: true })
  await nats.faults.restart()
}

async function emptyDatabase({ database }: Cluster): Promise<void> {
  const url = new URL(database.adminUrl)
  url.pathname = 'postgres'
  const client = new Client({ connectionString: url.href })
  await client.connect()
  const owner = new URL(database.ownerUrl).username
  await client.query(`drop database ${database.name} with (force)`)
  await client.query(`create database ${database.name} owner ${owner} template template0`)
  await client.end()
}
