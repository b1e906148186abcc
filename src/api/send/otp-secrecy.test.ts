/** A one-time code appears in the message and nowhere else. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { findInFiles } from '../../../test/support/bytes.ts'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import { openCodeHasher } from '../../engines/crypto/code-hasher.ts'
import { frameSealing } from '../../engines/crypto/frame-sealer.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openSealer } from '../../engines/crypto/sealer.ts'
import { observedLog } from '../../engines/decorators/observed-log.ts'
import { openSqlite } from '../../engines/sqlite/sqlite.ts'
import { ACCEPTS, DEFERS, fakeProvider, openGateway, START } from '../../flows/gateway.fixture.ts'
import { endOtps } from '../../flows/otp/end-otp.ts'
import type { Clock } from '../../lib/clock.ts'
import { seconds } from '../../lib/time.ts'
import { eventLogger } from '../../observe/event-logger.ts'
import { openCollector } from '../../observe/tracing.fixture.ts'
import { openTracing } from '../../observe/tracing.ts'
import { CODE, openFixture } from '../server.fixture.ts'
import type { ApiDeps } from '../server.ts'

const ids = openIds()
const ACME = 'acme' as TenantId
/** In the subject of an email. */
const APP = 'Zyzzyva'
const GENERATE = '/v1/otp/generate'
const VALIDATE = '/v1/otp/validate'

/** Everything the API can be asked about a message. */
const questionsAbout = (id: string): readonly string[] => [
  `/v1/sms/${id}`,
  `/v1/email/${id}`,
  `/v1/messages/${id}`,
  '/v1/messages',
  `/v1/messages?q=${CODE}`,
  '/v1/dead-letters',
  '/v1/stats',
  '/v1/providers',
  '/metrics',
]

const WAYS = [
  { channel: 'sms', to: '+5521912345678' },
  { channel: 'email', to: 'ann.lee@mail.example' },
] as const
for (const way of WAYS) {
  test(`a code by ${way.channel} and its recipient are in no log line, event, index row, trace, error or response, and not on disk`, (t) =>
    keepsSecret(t, way))
}

async function keepsSecret(t: TestContext, way: (typeof WAYS)[number]): Promise<void> {
  const { channel } = way
  const folder = mkdtempSync(join(tmpdir(), 'pombo-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const written: string[] = []
  const logger = pino({ level: 'trace', base: null }, { write: (line: string) => void written.push(line) })
  await using collector = await openCollector()
  const tracing = await openTracing({ endpoint: collector.url, ids, clock: () => START, onFault: assert.ifError })
  const masterKey = randomBytes(32)
  await using hasher = openCodeHasher({ masterKey, cost: 4, threads: 1 })
  const [sealer, path] = [openSealer(masterKey), join(folder, 'pombo.db')]
  await using engine = await openSqlite({
    path,
    clock: () => START,
    sealer,
    sealing: frameSealing(masterKey),
    indexBodies: true,
  })
  const log = observedLog(engine.log, eventLogger({ logger, ids, sampleOneIn: 1 }), tracing.observe)
  const openEngine = (options: { clock: Clock }) => {
    const { indexWriter: _, ...memory } = openMemoryEngine(options)
    return { ...memory, ...engine, log }
  }

  const carrier = fakeProvider([DEFERS, ACCEPTS], { capabilities: { channels: [channel], reports: 'callback' } })
  const worker = openGateway({ openEngine, ids }, { providers: [carrier], route: { channel } })
  await using api = await openFixture({ openEngine, ids }, { hasher, logger, blind: sealer.blind })
  const call = await api.caller()
  const answers: string[] = []
  const ask = async (...asked: Parameters<typeof call>): Promise<string> => {
    const { body, headers } = await call(...asked)
    answers.push(body, JSON.stringify(headers))
    return body
  }
  const read = async (id: MessageId) => {
    await api.project()
    for (const question of questionsAbout(id)) await ask('GET', question)
    return { ...(await readable(api.deps, id)), files: await findInFiles(folder, [CODE, way.to], () => false) }
  }

  const wanted = { ...way, app_name: APP, idempotency_key: 'k' }
  const id = JSON.parse(await ask('POST', GENERATE, wanted)).challenge_id
  await ask('POST', GENERATE, { ...wanted, max_attempts: 9 })
  await ask('POST', GENERATE, { ...wanted, to: CODE })
  await worker.work()
  worker.pass(seconds(60))
  const carried = JSON.stringify(carrier.calls[0]?.content)
  for (const secret of [CODE, way.to, APP]) assert.ok(carried.includes(secret))
  for (const code of [`${CODE}0`, '000000']) await ask('POST', VALIDATE, { challenge_id: id, code })
  const before = await read(id)
  await ask('POST', VALIDATE, { challenge_id: id, code: CODE })
  await endOtps({ ...api.deps })
  const after = await read(id)
  await tracing[Symbol.asyncDispose]()

  assert.ok(answers.some((body) => body.includes('"verified"')))
  assert.ok(written.length > 5 && collector.requests.length > 0)
  assert.deepEqual([before.events.length > 1, before.rows.length, after.files], [true, 1, []])
  const everything = { answers, written, before, after, traces: collector.requests }
  for (const [where, what] of Object.entries(everything)) {
    for (const secret of [CODE, way.to, APP]) assert.ok(!JSON.stringify(what).includes(secret), where)
  }
  assert.equal((await log.load(id))?.content, undefined)
}

/** All that can be read of a message without its key. */
async function readable({ log, index, challenges }: ApiDeps, id: MessageId) {
  const { rows } = await index.search({ tenantId: ACME, filter: {}, limit: 10 })
  return { events: await log.read(id), rows, challenge: await challenges.find({ tenantId: ACME, id }) }
}
