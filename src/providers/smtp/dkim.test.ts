import assert from 'node:assert/strict'
import { createHash, createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { openSmtpWorld } from '../../../test/support/smtp-world.ts'
import { someMailAttempt } from '../mail.fixture.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const dkim = {
  domain: 'acme.example',
  selector: 'pombo',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
}

/** Relaxed canonicalization of a body and of a header (RFC 6376, 3.4). */
const relaxBody = (body: string): string =>
  `${body
    .split('\r\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
    .join('\r\n')
    .replace(/(?:\r\n)+$/, '')}\r\n`
function relaxHeader(field: string): string {
  const colon = field.indexOf(':')
  const value = field
    .slice(colon + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim()
  return `${field.slice(0, colon).toLowerCase().trim()}:${value}`
}

test('signs the body and the headers, including the unsubscribe headers', async () => {
  await using world = await openSmtpWorld({ settings: { dkim } })
  const unsubscribe = { url: 'https://acme.example/u/1' }
  await world.provider.send(someMailAttempt({ unsubscribe, text: 'a  b \n.c\n\n\n' }), AbortSignal.timeout(30_000))
  const source = world.sink.mails[0]?.raw.toString('latin1') ?? ''
  const end = source.indexOf('\r\n\r\n')
  const fields = source.slice(0, end).split(/\r\n(?![ \t])/)
  const signature = fields.find((field) => field.startsWith('DKIM-Signature:')) ?? ''
  const tags = new Map(
    signature
      .slice(signature.indexOf(':') + 1)
      .replace(/\s/g, '')
      .split(';')
      .map((tag): [string, string] => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]),
  )
  assert.deepEqual([tags.get('d'), tags.get('s'), tags.get('c')], ['acme.example', 'pombo', 'relaxed/relaxed'])
  const hash = createHash('sha256')
    .update(relaxBody(source.slice(end + 4)), 'latin1')
    .digest('base64')
  assert.equal(tags.get('bh'), hash)

  const names = tags.get('h')?.toLowerCase().split(':') ?? []
  for (const name of ['from', 'to', 'subject', 'date', 'message-id', 'list-unsubscribe', 'list-unsubscribe-post']) {
    assert.ok(names.includes(name), name)
  }
  const signed = names.map((name) =>
    relaxHeader(fields.find((field) => field.toLowerCase().startsWith(`${name}:`)) ?? ''),
  )
  const unsigned = relaxHeader(signature).replace(/ b=.*$/, ' b=')
  const check = createVerify('rsa-sha256').update([...signed, unsigned].join('\r\n'), 'latin1')
  assert.ok(
    check.verify(createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })), tags.get('b') ?? '', 'base64'),
  )
})
