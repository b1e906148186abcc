/** Commands on the servers of a cluster: doctor, migrate, rebuild and import. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openCluster, toGateway } from '../support/cluster.ts'
import { type Ended, runPombo } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { callerOf, dataDirOf, type Gateway, startGateway } from '../support/gateway.ts'
import { searchAll } from '../support/index-dump.ts'
import { codeAt, generate, someOtp, validate, wrongFor } from '../support/otp.ts'
import { QUICK } from '../support/routes.ts'
import {
  type Accepted,
  freshNumber,
  inboxOf,
  magic,
  post,
  send,
  show,
  someSms,
  untilEvent,
  untilIndexed,
  untilStatus,
} from '../support/sms.ts'
import { until } from '../support/until.ts'

const cluster = await openCluster({ plan: { all: 1 }, config: QUICK })
after(() => cluster[Symbol.asyncDispose]())
const [member] = cluster.members
assert.ok(member !== undefined)
const gateway = toGateway(cluster, member)

const run = async (...args: readonly string[]): Promise<Ended> => {
  const ended = await runPombo(args, cluster.settings)
  assert.equal(ended.code, 0, ended.err + ended.out)
  return ended
}

const STREAMS = [
  'LOG',
  'KEYS',
  'CONTENTS',
  'RECEIPTS',
  'EVENTS',
  'LINES',
  'BREAKERS',
  'GATES',
  'ROUNDS',
  'JOBS_0',
  'JOBS_3',
].map((name) => `stream ${cluster.settings['POMBO_NATS_PREFIX']}_${name}`)

test('doctor passes every check', async () => {
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
    'codes',
    ...STREAMS,
  ]) {
    assert.ok(names.includes(name), `${name} in ${names}`)
  }
  assert.deepEqual(
    checks.filter(({ kind }: { kind: string }) => kind !== 'passed'),
    [],
  )
})

test('doctor reports a database without migrations and an unreachable broker', async () => {
  await using empty = await cluster.postgres.database()
  const wrong = { ...cluster.settings, POMBO_POSTGRES_URL: empty.appUrl, POMBO_NATS_URL: 'nats://127.0.0.1:1' }
  const { code, out } = await runPombo(['doctor'], wrong)
  assert.equal(code, 1)
  assert.match(out, /✗ NATS: cannot reach NATS at 127.0.0.1:1/)
  assert.match(out, /✗ PostgreSQL: .*run `pombo migrate`/)
})

test('doctor reports missing streams and uses the stored number of partitions', async () => {
  const prefix = cluster.settings['POMBO_NATS_PREFIX']
  const otherPartitions = { ...cluster.settings, POMBO_NATS_PARTITIONS: '1' }
  const { out } = await runPombo(['doctor'], otherPartitions)
  assert.match(out, new RegExp(`✓ stream ${prefix}_JOBS_3: `), 'the first start decides the number of partitions')
  const nowhere = { ...cluster.settings, POMBO_NATS_PREFIX: 'NOWHERE' }
  const missing = await runPombo(['doctor'], nowhere)
  for (const name of ['LOG', 'CONTENTS', 'RECEIPTS', 'EVENTS']) {
    assert.match(missing.out, new RegExp(`! stream NOWHERE_${name}: .*the first \`pombo serve\` creates it`))
  }
})

test('migrating again changes nothing', async () => {
  assert.match((await run('migrate')).out, /^the schema is already at version \d+\n$/)
})

test('the index rebuilt from the log is the same', async () => {
  const ids = [await send(gateway), await send(gateway, { to: magic('0001'), tags: ['a'] })]
  await untilStatus(gateway, ids[0] ?? '', 'delivered')
  await untilStatus(gateway, ids[1] ?? '', 'failed')
  await untilIndexed(gateway)
  const before = await searchAll(gateway, {})
  assert.match((await run('rebuild')).out, /^rebuilt the index from \d+ events/)
  assert.deepEqual(await searchAll(gateway, {}), before)
})

test('import copies the data of the embedded profile completely, and sends waiting messages', async () => {
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

const MINUTE = { limit: 1, window_seconds: 60 }
const recipientLimit = (to: string): string => `/v1/limits/recipient/${encodeURIComponent(to)}`

/** Calls and asserts the status. */
async function ask<Body>(gateway: Gateway, status: number, ...call: Parameters<Gateway['call']>): Promise<Body> {
  const answer = await gateway.call<Body>(...call)
  assert.equal(answer.status, status, answer.text)
  return answer.body
}

async function openCode(gateway: Gateway) {
  const otp = someOtp()
  const { body } = await generate(gateway, otp)
  return { id: body.challenge_id, code: await codeAt(gateway, otp.to) }
}

test('import copies settings, and reports what needs the old master key', async () => {
  await using folder = await openFolder()
  await using embedded = await startGateway({ folder: folder.path, config: QUICK })
  const to = freshNumber()
  for (const path of ['/v1/limits/user/42', '/v1/limits/recipient/*', recipientLimit(to)]) {
    await ask(embedded, 200, 'PUT', path, { limit: 1_000, window_seconds: 60, algorithm: 'sliding' })
  }
  const entry = { external_id: 'ana', name: 'Ana Souza', phone: magic('0003'), locale: 'pt' }
  const recipient = await ask<{ id: string }>(embedded, 201, 'POST', '/v1/recipients', entry)
  for (const text of ['Oi {{ name }}', 'Olá {{ name }}']) {
    await ask(embedded, 201, 'POST', '/v1/templates', { name: 'greeting', locale: 'pt', channel: 'sms', text })
  }
  await ask(embedded, 201, 'POST', '/v1/routes', { id: 'mine', channel: 'sms', sender: 'Me', providers: ['simulator'] })
  const { id, code } = await openCode(embedded)
  const greeting = { template: { name: 'greeting', data: { name: 'Ana' } }, recipient_external_id: 'ana' }
  const naming = { ...greeting, sender_id: 'Patient', idempotency_key: 'waits for a retry' }
  const waiting = await ask<Accepted>(embedded, 202, 'POST', '/v1/sms/send', naming)
  const seen = [
    '/v1/limits/user/42',
    `/v1/recipients/${recipient.id}`,
    '/v1/templates/greeting/versions?locale=pt',
    '/v1/routes/mine',
    '/v1/audit?target=mine',
  ]
  const before = await Promise.all(seen.map((path) => ask(embedded, 200, 'GET', path)))
  await untilEvent(embedded, waiting.request_id, 'RetryScheduled')
  await embedded.kill('SIGTERM')

  const { out } = await run('import', dataDirOf(folder.path))
  assert.match(
    out,
    /^imported 0 tenants, 2 limits, 1 recipients, 1 templates, 1 routes, 0 endpoints, 0 keys, 0 users, 0 domains, 0 challenges \(5 new\)$/m,
  )
  assert.match(out, /^imported [1-9]\d* entries of the audit log \([1-9]\d* new\)$/m)
  assert.match(out, /^not imported: 1 limits for single recipients, .*master key/m)
  assert.match(out, /^not imported: 1 open codes, .*master key/m)
  const again = JSON.parse((await run('import', '--json', dataDirOf(folder.path))).out)
  assert.deepEqual(
    [again.limits, again.recipients, again.templates, again.routes, again.challenges, again.auditEntries.added],
    [
      { all: 3, added: 0, left: 1 },
      { all: 1, added: 0, left: 0 },
      { all: 1, added: 0, left: 0 },
      { all: 1, added: 0, left: 0 },
      { all: 1, added: 0, left: 1 },
      0,
    ],
  )

  assert.deepEqual(await Promise.all(seen.map((path) => ask(gateway, 200, 'GET', path))), before)
  await ask(gateway, 200, 'GET', '/v1/limits/recipient/*')
  await ask(gateway, 404, 'GET', recipientLimit(to))
  assert.equal((await validate(gateway, id, code)).status, 404)
  await untilStatus(gateway, waiting.request_id, 'delivered')
  const received = (await inboxOf(gateway, entry.phone)).filter((one) => one.message_id === waiting.request_id)
  assert.deepEqual(
    received.map(({ body }) => body),
    ['Olá Ana'],
  )
})

test('with the same master key, import keeps the attempts of open codes, every limit and every API key', async () => {
  await using folder = await openFolder()
  const env = { POMBO_MASTER_KEY: cluster.settings['POMBO_MASTER_KEY'] ?? '' }
  await using embedded = await startGateway({ folder: folder.path, config: QUICK, env })
  const to = freshNumber()
  await ask(embedded, 200, 'PUT', recipientLimit(to), MINUTE)
  const { id, code } = await openCode(embedded)
  assert.equal((await validate(embedded, id, wrongFor(code))).body.attempts_remaining, 2)
  const wanted = { name: 'Shop', scopes: ['messages:read'] }
  const { key } = await ask<{ key: string }>(embedded, 201, 'POST', '/v1/api-keys', wanted)
  await embedded.kill('SIGTERM')

  const { limits, challenges, keys } = JSON.parse((await run('import', '--json', dataDirOf(folder.path))).out)
  assert.deepEqual([limits, challenges, keys], Array(3).fill({ all: 1, added: 1, left: 0 }))
  const call = callerOf(gateway.url, key)
  await until('the key to be known', async () => (await call('GET', '/v1/messages')).status === 200)
  assert.equal((await validate(gateway, id, wrongFor(code))).body.attempts_remaining, 1)
  assert.equal((await validate(gateway, id, code)).body.status, 'verified')
  assert.equal((await validate(gateway, id, code)).body.status, 'already_verified')
  assert.match((await untilEvent(gateway, id, 'MessageErased')).to ?? '', /^\+\*+\d{4}$/)
  await until('the limit to apply', async () => (await post(gateway, someSms({ to }))).status === 429)
})
