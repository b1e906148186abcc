/** What is refused, with which reply: 5xx for what can never be sent, 4xx for what may be taken later. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailboxAt, mailsTo } from '../support/email.ts'
import { openSmtpDialog } from '../support/smtp-dialog.ts'
import { idsIn, MAX_BYTES, type SmtpListenerSite, someSource, submit } from './smtp-listener-site.fixture.ts'

export function smtpRefusalsContract({ site, sink, port, key, createKey, dialog }: SmtpListenerSite): void {
  const { gateway } = site

  async function signedInWith(password: string): Promise<string> {
    using client = await openSmtpDialog(port)
    return await client.signIn(password)
  }

  test('only a valid key with the scope email:send signs in', async () => {
    assert.match(await signedInWith(key), /^235 2\.7\.0 /)
    const wrong = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
    assert.equal(await signedInWith(wrong), '535 5.7.8 The API key is not valid')
    assert.equal(await signedInWith('password'), '535 5.7.8 The API key is not valid')
    const reader = await createKey({ scopes: ['messages:read'] })
    assert.equal(await signedInWith(reader), '535 5.7.8 The API key needs the scope email:send')
    const elsewhere = await createKey({ networks: ['203.0.113.0/24'] })
    assert.match(await signedInWith(elsewhere), /^535 5\.7\.8 The API key may not be used from 127\.0\.0\.1$/)
    const lines = site.output()
    assert.ok(lines.includes('smtp: sign-in refused'))
    for (const secret of [wrong, key, elsewhere]) assert.equal(lines.includes(secret.slice(-40)), false)
  })

  test('a key that is revoked ends its open connections', async () => {
    const own = await createKey()
    using client = await openSmtpDialog(port)
    await client.signIn(own)
    assert.match(await client.say('MAIL FROM:<shop@acme.example>'), /^250 /)
    await client.say('RSET')
    const [, , id = ''] = own.split('_')
    assert.equal((await gateway.call('DELETE', `/v1/api-keys/${id}`)).status, 204)
    assert.match(await client.say('MAIL FROM:<shop@acme.example>'), /^530 5\.7\.0 The API key was revoked$/)
  })

  test('many wrong keys from one address are slowed down, and a right one still works', async () => {
    const replies: string[] = []
    for (let tries = 0; tries < 8; tries += 1) replies.push(await signedInWith(`pk_live_${'0'.repeat(12)}_x`))
    assert.match(replies.at(-1) ?? '', /^421 .*Too many failed attempts; try again in \d+ seconds$/)
    assert.match(await signedInWith(key), /^235 /)
  })

  test('addresses that cannot be used are refused one by one', async () => {
    using client = await dialog()
    const suppressed = mailboxAt('mail.example')
    const put = await gateway.call('PUT', `/v1/suppressions/${suppressed}`, { reason: 'manual' })
    assert.equal(put.status, 200, put.text)
    await client.say('MAIL FROM:<shop@acme.example> SMTPUTF8')
    assert.match(await client.say(`RCPT TO:<${suppressed}>`), /^550 5\.1\.1 /)
    assert.match(await client.say('RCPT TO:<"a b"@mail.example>'), /^5\d\d 5\.1\.3 /)
    assert.match(await client.say('RCPT TO:<ana@[127.0.0.1]>'), /^553 5\.1\.3 /)
    assert.match(await client.say('RCPT TO:<josé@mail.example>'), /^553 5\.6\.7 /)
    assert.match(await client.say('RCPT TO:<ana@exämple.example>'), /^250 /)
  })

  test('the sender must be one that the tenant may use', async () => {
    using client = await dialog()
    const of = (from: string, ...more: readonly string[]): string =>
      someSource(more).replace(/^From: .*$/m, `From: ${from}`)
    const to = mailboxAt('mail.example')
    const notAllowed = /^550 5\.7\.1 The sender is not allowed: \/(?:from|sender) belongs to another tenant$/
    assert.match(await submit(client, of('Rival <ceo@rival.example>'), to), notAllowed)
    assert.match(await submit(client, of('shop@acme.example', 'Sender: ceo@rival.example'), to), notAllowed)
    const one = /^554 5\.6\.0 .* must name one address/
    assert.match(await submit(client, of('shop@acme.example, ceo@rival.example'), to), one)
    assert.match(await submit(client, of('shop@acme.example', 'From: ceo@rival.example'), to), one)
    assert.match(await submit(client, of('nobody'), to), one)
    assert.deepEqual(mailsTo(sink, to), [])
  })

  test('a mail that can never be sent is refused at once', async () => {
    using client = await dialog()
    const to = mailboxAt('mail.example')
    const html = ['MIME-Version: 1.0', 'Content-Type: text/html']
    const script = await submit(client, someSource(html, '<p>Hi</p>\r\n<script>alert(1)</script>'), to)
    assert.match(script, /^554 5\.6\.0 Not accepted: the html has .* in line 2$/)
    const hops = Array.from({ length: 60 }, () => 'Received: by relay.example; now')
    assert.match(await submit(client, someSource(hops), to), /^554 5\.4\.6 /)
    const tags = Array.from({ length: 30 }, (_, index) => `X-Pombo-Tag: t${index}`)
    assert.match(await submit(client, someSource(tags), to), /^554 5\.6\.0 .*X-Pombo-Tag/)
  })

  test('a mail that is too large is refused when it is announced, and after it has arrived', async () => {
    using client = await dialog()
    assert.match(await client.say(`MAIL FROM:<shop@acme.example> SIZE=${MAX_BYTES + 1}`), /^552 5\.3\.4 /)
    const line = `${'x'.repeat(76)}\r\n`
    const large = line.repeat(Math.ceil((MAX_BYTES + 1) / line.length))
    assert.match(await submit(client, someSource([], large), mailboxAt('mail.example')), /^552 5\.3\.4 /)
    const fits = line.repeat(Math.floor((MAX_BYTES - 2_000) / line.length))
    const to = mailboxAt('mail.example')
    assert.equal(idsIn(await submit(client, someSource([], fits), to)).length, 1)
    assert.match(await client.say('NOOP'), /^250 /)
  })

  test('a limit that is reached is a reason to try again later', async () => {
    const limit = { limit: 1, window_seconds: 3_600 }
    const put = await gateway.call('PUT', '/v1/limits/account/smtp-limited', limit)
    assert.ok(put.status < 300, put.text)
    const limited = await createKey({ account_id: 'smtp-limited' })
    using client = await openSmtpDialog(port)
    await client.signIn(limited)
    const to = mailboxAt('mail.example')
    const first = someSource()
    assert.match(await submit(client, first, to), /^250 /)
    assert.match(await submit(client, someSource(), to), /^451 4\.7\.1 .*try again in \d+ seconds$/)
    assert.match(await submit(client, first, to), /^250 /, 'a repeated mail counts nothing')
  })
}
