import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_HTML_BYTES } from '../src/domain/email/checks.ts'
import { type EmailRequest, parseEmailRequest } from '../src/domain/requests/email-request.ts'
import { findFlaws } from '../src/engines/html/flaws.ts'
import { toLargeMail, toMail } from './email-mails.ts'
import { type Request, toBytes } from './request.ts'

/** What the API is sent first. */
function toBody(request: Request): EmailRequest & Readonly<{ idempotency_key: string }> {
  const [bytes] = toBytes(request)
  assert.equal(bytes?.number(0), 2, 'a number for the recipient and one for the key')
  const text = bytes?.bytes.toString() ?? ''
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n')))
}

for (const [name, toRequest] of Object.entries({ toMail, toLargeMail })) {
  test(`${name}: what the load sends is fit to be sent, and numbered in its recipient and its key alone`, () => {
    const { idempotency_key: key, ...mail } = toBody(toRequest('token'))
    assert.match(key, /^bench-[0-9a-f]{8}-0{11}2$/)
    assert.equal(mail.to, 'customer-00000001@example.com')
    assert.equal(parseEmailRequest(mail).kind, 'ok')
    assert.deepEqual(findFlaws(mail.html ?? ''), [])
  })
}

test('a large mail has html as large as it may be, but for part of a row', () => {
  const { html = '' } = toBody(toLargeMail('token'))
  const free = MAX_HTML_BYTES - Buffer.byteLength(html)
  assert.ok(free >= 0 && free < 200, `${free} bytes are free`)
})
