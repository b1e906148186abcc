/** Takes a backup under load, kills the gateway, and restores the backup into an empty folder. */
import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { type Ended, type Env, runPombo } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, type Gateway, settingsFor, startGateway } from '../support/gateway.ts'
import { QUICK } from '../support/routes.ts'
import {
  inboxOf,
  magic,
  post,
  type Sms,
  send,
  show,
  someSms,
  untilEvent,
  untilIndexed,
  untilStatus,
} from '../support/sms.ts'
import { until } from '../support/until.ts'

const PAUSE_MS = 10
const FILED_WITHIN_MS = 1_500
const BAD_CONFIG = 78
const WITHOUT_WORKER = { POMBO_ROLES: 'api,callbacks,poller,projector' }
type Sent = Readonly<{ id: string; sms: Sms }>
type Sending = AsyncDisposable & Readonly<{ accepted: readonly Sent[] }>

/** Clients that send until disposed. */
function startSending(gateway: Gateway): Sending {
  const accepted: Sent[] = []
  const stop = new AbortController()
  const call = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const sms = someSms({ tags: ['load'] })
      const { status, body, text } = await post(gateway, sms)
      assert.equal(status, 202, text)
      accepted.push({ id: body.request_id, sms })
      await wait(PAUSE_MS)
    }
  }
  const callers = Promise.all([1, 2, 3, 4].map(call))
  return {
    accepted,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await callers
    },
  }
}

async function run(args: readonly string[], folder: string, env: Env = {}): Promise<Ended> {
  return runPombo(args, await settingsFor({ folder, config: QUICK, env }))
}

test('a restored backup contains every message acknowledged before the backup started, and finished messages are not sent again', {
  timeout: 170_000,
}, async (t) => {
  await using from = await openFolder()
  await using into = await openFolder()
  await mkdir(dataDirOf(into.path), { mode: 0o700 })
  const file = join(from.path, 'backup.db')
  await using gateway = await startGateway({ folder: from.path, config: QUICK })
  const early = await Promise.all(Array.from({ length: 20 }, () => sendOne(gateway)))
  const ended = await Promise.all(early.map(async ({ id }) => untilStatus(gateway, id, 'delivered')))
  const delayed = await send(gateway, { to: magic('0003'), sender_id: 'MuchLater' })
  const waiting = await untilEvent(gateway, delayed, 'RetryScheduled')
  // The counts leave out what is only in the journal.
  await wait(FILED_WITHIN_MS)

  await using sending = startSending(gateway)
  await until('some load', () => sending.accepted.length >= 100)
  const before = [...sending.accepted]
  const backup = await run(['backup', file], from.path)
  assert.equal(backup.code, 0, backup.err)
  assert.match(backup.out, /contains no keys[\s\S]*master\.key: without it the messages in the backup cannot be read/)
  await until('messages after the backup', () => sending.accepted.length > before.length + 20)
  const late = sending.accepted.at(-1)
  await sending[Symbol.asyncDispose]()
  await gateway.kill('SIGKILL')

  const refused = await run(['restore', file], into.path)
  assert.equal(refused.code, BAD_CONFIG)
  assert.match(refused.err, /contains no keys; copy its master\.key to/)
  await copyFile(join(dataDirOf(from.path), 'master.key'), join(dataDirOf(into.path), 'master.key'))
  const { code, out, err } = await run(['restore', file], into.path)
  assert.equal(code, 0, err)
  assert.match(
    out,
    /\d+ messages are waiting to be sent or retried\. Those .* AGAIN\.\n.*--roles api,callbacks,poller,projector/,
  )

  const startedAt = Date.now()
  await using restored = await startGateway({ folder: into.path, config: QUICK, env: WITHOUT_WORKER })
  for (const [index, { id, sms }] of early.entries()) {
    const { status, events } = await show(restored, id)
    assert.deepEqual([status, events], ['delivered', ended[index]?.events])
    assert.equal(await textOf(restored, id), sms.message)
  }
  for (const { id, sms } of before) assert.equal(await textOf(restored, id), sms.message)
  assert.deepEqual((await show(restored, delayed)).events, waiting.events)
  assert.equal(
    (await restored.call('GET', `/v1/messages/${late?.id}`)).status,
    404,
    'a message after the backup is not restored',
  )
  const held = await send(restored)
  assert.ok(await untilIndexed(restored), 'the index works without a worker')
  for (const { id } of [...before, { id: held }]) assert.ok(isUnsent(await show(restored, id), startedAt))
  assert.equal((await restored.kill('SIGTERM')).code, 0)

  await using second = await startGateway({ folder: into.path, config: QUICK })
  await untilStatus(second, held, 'delivered')
  for (const { id } of before) await untilStatus(second, id, 'delivered', { withinMs: 30_000 })
  for (const { sms } of early)
    assert.deepEqual(await inboxOf(second, sms.to), [], 'delivered before the backup, and not sent again')
  const again = await Promise.all(before.map(async ({ sms }) => (await inboxOf(second, sms.to)).length))
  assert.ok(again.every((count) => count <= 1))
  const { body } = await second.call<{ request_id: string }>('POST', '/v1/sms/send', early[0]?.sms)
  assert.equal(body.request_id, early[0]?.id, 'idempotency keys are restored')
  assert.equal((await show(second, delayed)).status, waiting.status)
  t.diagnostic(
    `${before.length} before the backup, ${again.filter((count) => count === 1).length} of them sent after it`,
  )
})

/** Nothing has been handed to a provider since then. */
const isUnsent = ({ events }: MessageDetails, since: number): boolean =>
  events.every(({ event_type, at }) => event_type !== 'HandoffAttempted' || Date.parse(at) < since)

async function sendOne(gateway: Gateway): Promise<Sent> {
  const sms = someSms({ message: 'Long before the backup.' })
  const { body } = await post(gateway, sms)
  return { id: body.request_id, sms }
}

async function textOf(gateway: Gateway, id: string): Promise<string> {
  const { status, body, text } = await gateway.call<{ body: string }>('GET', `/v1/messages/${id}/content`)
  assert.equal(status, 200, text)
  return body.body
}
