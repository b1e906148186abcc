import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { dkimSignaturesOf } from '../../../test/support/dkim.ts'
import { openSmtpWorld } from '../../../test/support/smtp-world.ts'
import type { DkimSigning } from '../kind.ts'
import { address, someMailAttempt } from '../mail.fixture.ts'

function makeKey() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    published: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  }
}

const [general, own] = [makeKey(), makeKey()]
const dkim = { domain: 'acme.example', selector: 'relay', private_key: general.privateKey }
const OWN: DkimSigning = { domain: 'shop.example', selector: 'pombo3f9a1c2e', privateKey: own.privateKey }
const SOON = (): AbortSignal => AbortSignal.timeout(30_000)

test('signs the body and the headers, including the unsubscribe headers', async () => {
  await using world = await openSmtpWorld({ settings: { dkim } })
  const unsubscribe = { url: 'https://acme.example/u/1' }
  await world.provider.send(someMailAttempt({ unsubscribe, text: 'a  b \n.c\n\n\n' }), SOON())
  const [signature, ...others] = dkimSignaturesOf(world.sink.mails[0]?.raw ?? Buffer.alloc(0))
  assert.ok(signature)
  assert.deepEqual(others, [])
  const { domain, selector, canonicalization, names } = signature
  assert.deepEqual([domain, selector, canonicalization], ['acme.example', 'relay', 'relaxed/relaxed'])
  for (const name of ['from', 'to', 'subject', 'date', 'message-id', 'list-unsubscribe', 'list-unsubscribe-post']) {
    assert.ok(names.includes(name), name)
  }
  assert.ok(signature.isValid(general.published))
  assert.ok(!signature.isValid(own.published))
})

for (const [name, settings] of [
  ['instead of the key of the settings', { dkim }],
  ['where the settings have no key', {}],
] as const) {
  test(`signs with the key of the sender's domain ${name}, and other mail as before`, async () => {
    const ofShop = { address: address('hello@shop.example') }
    const context = {
      dkimSigningFor: ({ content }: ReturnType<typeof someMailAttempt>) =>
        content.from?.address === ofShop.address ? OWN : undefined,
    }
    await using world = await openSmtpWorld({ settings, context })
    await world.provider.send(someMailAttempt({ from: ofShop }), SOON())
    await world.provider.send(someMailAttempt(), SOON())
    const [first = [], second = []] = world.sink.mails.map(({ raw }) => dkimSignaturesOf(raw))
    assert.deepEqual(
      first.map(({ domain, selector, isValid }) => [domain, selector, isValid(own.published)]),
      [['shop.example', 'pombo3f9a1c2e', true]],
    )
    assert.deepEqual(
      second.map(({ domain, isValid }) => [domain, isValid(general.published)]),
      'dkim' in settings ? [['acme.example', true]] : [],
    )
    assert.ok(!JSON.stringify(world.logs).includes('PRIVATE'))
  })
}

test('signs mail that arrived over SMTP as it is, and keeps the signature that it has', async () => {
  await using world = await openSmtpWorld({ settings: { dkim } })
  const lines = [
    'From:  Shop <hello@acme.example>',
    'DKIM-Signature: v=1; a=rsa-sha256; d=shop.example; s=x; h=from; bh=a; b=b',
    'subject:  caf\u00e9',
    '\tfolded',
    'Date: Fri, 20 Nov 2026 00:00:00 +0000',
    '',
    'ol\u00e1  ',
    '..',
    ' ',
    '',
  ]
  const source = { raw: Buffer.from(lines.join('\r\n'), 'latin1').toString('base64'), attachments: [] }
  await world.provider.send(someMailAttempt({ source, from: { address: address('hello@acme.example') } }), SOON())
  const { raw = Buffer.alloc(0) } = world.sink.mails[0] ?? {}
  assert.ok(raw.toString('latin1').endsWith(`\r\n${lines.join('\r\n')}`))
  const [ours, theirs] = dkimSignaturesOf(raw)
  assert.deepEqual([ours?.domain, theirs?.domain], ['acme.example', 'shop.example'])
  assert.ok(ours?.isValid(general.published))
})
