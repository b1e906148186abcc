import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_HTML_BYTES } from '../src/domain/email/checks.ts'
import { type EmailRequest, parseEmailRequest } from '../src/domain/requests/email-request.ts'
import { findFlaws } from '../src/engines/html/flaws.ts'
import { toLargeMail, toMail } from './email-mails.ts'
import { type Request, toBytes } from './request.ts'

/** The first request of the load. */
function toBody(request: Request): EmailRequest & Readonly<{ idempotency_key: string }> {
  const [bytes] = toBytes(request)
  assert.equal(bytes?.number(0), 2, 'a number for the recipient and one for the key')
  const text = bytes?.bytes.toString() ?? ''
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n')))
}

for (const [name, toRequest] of Object.entries({ toMail, toLargeMail })) {
  test(`${name}: the email is valid, and only its recipient and its key are numbered`, () => {
    const { idempotency_key: key, ...mail } = toBody(toRequest('token'))
    assert.match(key, /^bench-[0-9a-f]{8}-0{11}2$/)
    assert.equal(mail.to, 'customer-00000001@example.com')
    assert.equal(parseEmailRequest(mail).kind, 'ok')
    assert.deepEqual(findFlaws(mail.html ?? ''), [])
  })
}

test('a large email has the maximum HTML, less than a row short', () => {
  const { html = '' } = toBody(toLargeMail('token'))
  const free = MAX_HTML_BYTES - Buffer.byteLength(html)
  assert.ok(free >= 0 && free < 200, `${free} bytes are free`)
})
