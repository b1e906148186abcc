/**
 * curl calls, parsed by a real shell: every value stays one word. They are imported dynamically, because the server's
 * compiler does not know browser types.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MessageDetails } from '../../../src/api/messages/message-schemas.ts'

type Asked = Pick<
  MessageDetails,
  'id' | 'channel' | 'type' | 'lane' | 'sender_id' | 'subject' | 'tags' | 'metadata' | 'callback_url'
>
type CurlFile = Readonly<Record<'toReadCall' | 'toSendCall', (origin: string, details: Asked) => string>>

const FILE = new URL('../../../console/src/pages/message/curl.ts', import.meta.url)
const { toReadCall, toSendCall } = (await import(FILE.href)) as CurlFile

const ORIGIN = 'https://pombo.example'
const SMS: Asked = {
  id: '018f4f5e-7c1a-7abc-9def-0123456789ab',
  channel: 'sms',
  type: 'sms',
  lane: 'transactional',
  sender_id: null,
  subject: null,
  tags: [],
  metadata: {},
  callback_url: null,
}
const EMAIL: Asked = { ...SMS, channel: 'email', type: 'email' }

/** The arguments that a shell passes to curl. */
function wordsOf(calls: readonly string[]): readonly (readonly string[])[] {
  const script = `curl() { printf '%s\\0' "$@"; printf '\\1\\0'; }\nuuidgen() { echo made; }\n${calls.join('\n')}\n`
  const output = execFileSync('/bin/sh', { input: script, encoding: 'utf8', env: { TOKEN: 'of the shell' } })
  return output
    .split('\u0001\u0000')
    .slice(0, -1)
    .map((call) => call.split('\u0000').slice(0, -1))
}

const bodyOf = (words: readonly string[] | undefined): unknown => JSON.parse(words?.[words.indexOf('-d') + 1] ?? '')

test('reads a message with the token of the shell', () => {
  assert.deepEqual(wordsOf([toReadCall(ORIGIN, SMS)]), [
    ['-sS', `${ORIGIN}/v1/messages/${SMS.id}`, '-H', 'Authorization: Bearer of the shell'],
  ])
})

test('sends a similar message with placeholders for encrypted fields', () => {
  const [sms, email] = wordsOf([
    toSendCall(ORIGIN, { ...SMS, type: 'flash_sms', lane: 'bulk', sender_id: 'Acme', tags: ['a'] }),
    toSendCall(ORIGIN, {
      ...EMAIL,
      subject: 'Hello',
      sender_id: 'no-reply@acme.example',
      callback_url: 'https://a.example',
    }),
  ])
  assert.ok(sms?.includes(`${ORIGIN}/v1/sms/send`) && sms.includes('Idempotency-Key: made'))
  assert.deepEqual(bodyOf(sms), {
    to: '<+number>',
    message: '<text>',
    type: 'flash_sms',
    sender_id: 'Acme',
    lane: 'bulk',
    tags: ['a'],
  })
  assert.ok(email?.includes(`${ORIGIN}/v1/email/send`))
  assert.deepEqual(bodyOf(email), {
    to: '<address>',
    subject: 'Hello',
    html: '<html>',
    from: 'no-reply@acme.example',
    callback_url: 'https://a.example',
  })
})

test('omits empty fields, and uses a placeholder for an unreadable subject', () => {
  const [sms, email] = wordsOf([toSendCall(ORIGIN, SMS), toSendCall(ORIGIN, EMAIL)])
  assert.deepEqual(bodyOf(sms), { to: '<+number>', message: '<text>' })
  assert.deepEqual(bodyOf(email), { to: '<address>', subject: '<subject>', html: '<html>' })
})

test('preserves quotes, dollars, backticks and line breaks', () => {
  const odd = fc.string({
    unit: fc.constantFrom("'", '"', '$', '`', '\\', '\n', '!', '#', ' ', 'é', '😀', '$(id)', ';'),
  })
  const details = fc.record({ tags: fc.array(odd, { minLength: 1 }), metadata: fc.dictionary(odd, odd), subject: odd })
  const drawn = fc.sample(details, 100)
  const calls = wordsOf(drawn.map((one) => toSendCall(ORIGIN, { ...EMAIL, ...one })))
  assert.equal(calls.length, drawn.length)
  for (const [nth, words] of calls.entries()) {
    const { tags, metadata, subject } = drawn[nth] ?? {}
    const said = bodyOf(words) as Partial<Asked>
    assert.deepEqual([said.tags, said.metadata ?? {}, said.subject], [tags, { ...metadata }, subject])
  }
})
