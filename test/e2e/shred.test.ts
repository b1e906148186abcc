/**
 * S2-SHRED on real files: a copy of the disk never reveals a body or a number, and after erasure nothing of the message.
 * S1-P14: neither do the logs.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Finding, findInFiles } from '../support/bytes.ts'
import { runPombo } from '../support/command.ts'
import { eraseRecipient } from '../support/erasures.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, type Gateway, settingsFor, startGateway } from '../support/gateway.ts'
import { codeAt, generate, someOtp, validate } from '../support/otp.ts'
import { inboxOf, post, type Sms, search, send, untilEvent, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

/** Searching every file takes longer than sending, so one search covers several messages. */
const [RUNS, AT_ONCE] = [10, 10]
const MESSAGES = RUNS * AT_ONCE

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length })
/** Long enough not to be in a file by chance. */
const word = fc.string({ unit: fc.constantFrom(...'bcdfghjklmnpqrstvwxz'), minLength: 14, maxLength: 14 })

type Secret = Readonly<{ number: string; body: string; code: string; name: string; tag: string; key: string }>

/** Without fast-check's bias towards texts like `bbbb`, which may be in a file by chance. */
const secrets: fc.Arbitrary<Secret> = fc.noBias(
  fc.record({
    number: digits(13).map((rest) => `+49${rest}`),
    body: fc
      .tuple(word, fc.string({ unit: 'grapheme', maxLength: 40 }))
      .map(([first, rest]) => `${first} ${rest.replaceAll('\0', '')}`),
    code: digits(6),
    name: fc.tuple(word, fc.string({ unit: 'grapheme', maxLength: 10 })).map(([first, rest]) => `${first}${rest}`),
    tag: word,
    key: fc.uuid(),
  }),
)

const toSms = ({ number, body, code, name, tag, key }: Secret): Sms => ({
  to: number,
  message: `${body} Your code is ${code}`,
  idempotency_key: key,
  metadata: { name, '"quoted"': `${name} \\ "${code}"` },
  tags: [tag],
})

/** What must never be readable: the text, a part of it, the number and most of the number. */
const sealed = ({ number, body, code }: Secret): string[] => [
  body.trim(),
  body.slice(0, 14),
  `code is ${code}`,
  number,
  number.slice(1),
  number.slice(-10),
]
/** What may be readable until erasure. The full-text index stores words in lower case, without the prefix shared with the previous word. */
const shown = ({ name, tag }: Secret): string[] => [name, name.slice(0, 14), tag, name.slice(4, 14), tag.slice(4)]

const isSimulator = (file: string): boolean => file.startsWith('simulator.db')

/** The keys of all messages, from the gateway's database: without them the content cannot be decrypted. */
function readKeys(dataDir: string): readonly Uint8Array[] {
  using db = new DatabaseSync(join(dataDir, 'pombo.db'), { readOnly: true })
  return db
    .prepare('select secret from contents')
    .all()
    .map((row) => row['secret'] as Uint8Array)
}

/** Calls the gateway in every way that might log or return content. */
async function talkAbout(gateway: Gateway, sms: Sms): Promise<string[]> {
  const { to, message, idempotency_key: key } = sms
  const answers = await Promise.all([
    gateway.call('POST', '/v1/sms/send', { ...sms, message: `${message}!` }),
    gateway.call('POST', '/v1/sms/send', { ...sms, to: `${to}x`, idempotency_key: `${key}-x` }),
    gateway.call('POST', '/v1/sms/send', { ...sms, message: message.repeat(60), idempotency_key: `${key}-y` }),
    gateway.call('POST', '/v1/sms/send', { ...sms, expires_at: message, idempotency_key: `${key}-z` }),
    gateway.call('POST', '/v1/sms/send', `{"to":"${to}","message":"${message}`),
    gateway.call('GET', `/v1/messages?to=${encodeURIComponent(to)}x`),
  ])
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [400, 400, 400, 400, 400, 422])
  assert.equal((await search(gateway, { to })).items.length, 1)
  assert.equal((await inboxOf(gateway, to)).length, 1)
  return answers.map(({ text }) => text)
}

test(`S2-SHRED S1-P14 ${MESSAGES} erased messages leave nothing on the disk or in the logs`, {
  timeout: 180_000,
}, async (t) => {
  await using folder = await openFolder()
  const dataDir = dataDirOf(folder.path)
  const env = { POMBO_LOG_LEVEL: 'debug' }
  const config = { providers: [{ name: 'simulator', kind: 'simulator', settings: { receipt_delay_ms: 0 } }] }
  await using gateway = await startGateway({ folder: folder.path, config, env })
  const lookFor = (texts: readonly (string | Uint8Array)[]): Promise<readonly Finding[]> =>
    findInFiles(dataDir, texts, isSimulator)
  const erased: Secret[] = []

  await fc.assert(
    fc.asyncProperty(fc.array(secrets, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (some) => {
      const ids = await Promise.all(some.map((secret) => send(gateway, toSms(secret))))
      for (const id of ids) await untilStatus(gateway, id, 'delivered')
      await untilIndexed(gateway)
      assert.deepEqual(await lookFor(some.flatMap(sealed)), [], 'a body or number is readable before erasure')
      for (const { tag } of some) assert((await lookFor([tag])).length > 0, 'the search must find unencrypted fields')
      for (const secret of some) {
        const answers = await talkAbout(gateway, toSms(secret))
        for (const text of sealed(secret))
          assert(!answers.join().includes(text), 'an error response contains the content')
      }

      const keys = readKeys(dataDir)
      assert.equal(keys.length, AT_ONCE, 'unexpected number of keys')
      for (const id of ids) assert.equal((await gateway.call('POST', `/v1/messages/${id}/erase`)).status, 200)
      const texts = some.flatMap((secret) => [...sealed(secret), ...shown(secret)])
      await until('the files to be cleaned', async () => (await lookFor([...texts, ...keys])).length === 0)
      erased.push(...some)
    }),
    { numRuns: RUNS, endOnFailure: true },
  )

  const { code, err } = await gateway.kill('SIGTERM')
  assert.equal(code, 0)
  const all = erased.flatMap((secret) => [...sealed(secret), ...shown(secret)])
  assert.deepEqual(await lookFor(all), [])
  const rebuilt = await runPombo(['rebuild'], await settingsFor({ folder: folder.path, config, env }))
  assert.equal(rebuilt.code, 0)
  assert.deepEqual(await lookFor(all), [], 'found after the index is rebuilt')

  const lines = err.trim().split('\n')
  for (const line of lines) JSON.parse(line)
  assert(lines.length > MESSAGES * 10, 'too few log lines')
  const leaked = erased
    .flatMap(sealed)
    .filter((text) => err.includes(text) || err.includes(JSON.stringify(text).slice(1, -1)))
  assert.deepEqual(leaked, [], 'found in the logs')
  t.diagnostic(`${erased.length} erased, ${lines.length} log lines looked through`)
})

test('a finished code is readable nowhere, and its recipient is searchable until erased', async () => {
  await using folder = await openFolder()
  const dataDir = dataDirOf(folder.path)
  await using gateway = await startGateway({ folder: folder.path, env: { POMBO_OTP_COST: '4' } })
  const otp = someOtp()
  const { body } = await generate(gateway, otp)
  const code = await codeAt(gateway, otp.to)
  await untilIndexed(gateway)
  const keys = readKeys(dataDir)
  assert.deepEqual(
    keys.map(({ length }) => length),
    [32],
  )
  assert.equal((await validate(gateway, body.challenge_id, code)).body.status, 'verified')
  await untilEvent(gateway, body.request_id, 'MessageErased')
  await untilIndexed(gateway)
  const text = `code is ${code}`
  await until(
    'the files to be cleaned',
    async () => (await findInFiles(dataDir, [text, ...keys], isSimulator)).length === 0,
  )
  const [found] = (await search(gateway, { to: otp.to })).items
  assert.deepEqual([found?.id, found?.to], [body.request_id, `+*******${otp.to.slice(-4)}`])

  const { receipt } = await eraseRecipient(gateway, otp.to)
  assert.deepEqual(receipt.messages, { found: 1, erased: 1, failed: 0 })
  assert.deepEqual((await search(gateway, { to: otp.to })).items, [])
  assert.deepEqual(readKeys(dataDir), [])
  const masked = `+*******${otp.to.slice(-4)}`
  await until('the files to be cleaned', async () => (await findInFiles(dataDir, [masked], isSimulator)).length === 0)
})

test('an erasure does not wait for readers and survives a kill', async () => {
  await using folder = await openFolder()
  const dataDir = dataDirOf(folder.path)
  const [secret] = fc.sample(secrets, 1)
  assert(secret)
  await using first = await startGateway({ folder: folder.path })
  const id = await send(first, toSms(secret))
  await untilStatus(first, id, 'delivered')
  await untilIndexed(first)
  const keys = readKeys(dataDir)
  const lookFor = () => findInFiles(dataDir, [...sealed(secret), ...shown(secret), ...keys], isSimulator)
  const reader = new DatabaseSync(join(dataDir, 'pombo.db'), { readOnly: true })
  reader.exec('begin')
  reader.prepare('select count(*) from messages').get()
  const startedAt = performance.now()
  assert.equal((await first.call('POST', `/v1/messages/${id}/erase`)).status, 200)
  await send(first)
  assert(performance.now() - startedAt < 4_000, 'the erasure waited for the reader')
  assert((await lookFor()).length > 0, 'the reader must still see its snapshot')
  await first.kill('SIGKILL')

  await using second = await startGateway({ folder: folder.path })
  reader.close()
  await until('the files to be cleaned', async () => (await lookFor()).length === 0, { withinMs: 5_000 })
  assert.equal((await second.kill('SIGTERM')).code, 0)
})

test('a number that the provider refuses is not in the logs', async () => {
  await using folder = await openFolder()
  await using gateway = await startGateway({ folder: folder.path, env: { POMBO_LOG_LEVEL: 'trace' } })
  const { body } = await post(gateway, { to: '+15005550001', message: 'wxyzwxyzwxyz', idempotency_key: 'one' })
  await untilStatus(gateway, body.request_id, 'failed')
  const { err } = await gateway.kill('SIGTERM')
  assert.match(err, /HandoffFailed/)
  assert.doesNotMatch(err, /15005550001|wxyzwxyz/)
})
