/**
 * The emails of the load: the same HTML to new recipients with new idempotency keys. The HTML contains no `#`, which is
 * the placeholder for a running number.
 */
import { MAX_HTML_BYTES } from '../src/domain/email/checks.ts'
import { newRun, toHeaders } from './messages.ts'
import type { Request } from './request.ts'

const HEAD =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Your order</title><style>td{padding:8px 16px}</style></head><body style="margin:0;font-family:sans-serif"><table role="presentation" width="600">'
const ROW =
  '<tr><td style="color:rgb(31,35,40)"><b>Item 1138</b>, the blue one &amp; its box</td><td><a href="https://shop.example/items/1138?from=mail">See it</a></td></tr>\n'
const FOOT = '</table><p>Your parcel is on its way and will be with you before noon.</p></body></html>'
const LINE = 'Item 1138, the blue one & its box: https://shop.example/items/1138?from=mail\n'

/** HTML of at most this many bytes. */
function htmlOf(bytes: number): string {
  const room = bytes - HEAD.length - FOOT.length
  return HEAD + ROW.repeat(Math.floor(room / ROW.length)) + FOOT
}

const KB = 1024
export const HTML_KB = 4
export const LARGE_HTML_KB = MAX_HTML_BYTES / KB

export const MAIL = { subject: 'Your order is on its way', html: htmlOf(HTML_KB * KB), text: LINE.repeat(12) }
const LARGE_MAIL = { ...MAIL, html: htmlOf(LARGE_HTML_KB * KB) }

const toRequest = (token: string, mail: object): Request => ({
  method: 'POST',
  path: '/v1/email/send',
  headers: toHeaders(token),
  body: JSON.stringify({
    to: 'customer-########@example.com',
    ...mail,
    idempotency_key: `bench-${newRun()}-############`,
  }),
})

export const toMail = (token: string): Request => toRequest(token, MAIL)

/** With the largest HTML that is allowed. */
export const toLargeMail = (token: string): Request => toRequest(token, LARGE_MAIL)
