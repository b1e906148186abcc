/** What a gateway must do. Together the checks use every thread; test/deploy/smoke.test.ts notices one that is not used. */
import { type Answer, type Gateway, until } from './gateway.ts'
import type { HttpReceiver, SmtpReceiver } from './receivers.ts'
import { BY_SES } from './settings.ts'
import { speakSmtp, toData } from './smtp-dialog.ts'

export type Site = Readonly<{ gateway: Gateway; smtp: SmtpReceiver; http: HttpReceiver; submission: number }>

const PHONE = '+15551230001'
const CODE_PHONE = '+15551230002'
const SES_PATH = '/v2/email/outbound-emails'

export const CHECKS: Readonly<Record<string, (site: Site) => Promise<unknown>>> = {
  'is ready': async ({ gateway }) => expect(await gateway.call('GET', '/health/ready'), 200),

  'delivers an SMS through the simulator': async ({ gateway }) => {
    const body = { to: PHONE, message: 'Your parcel is on its way.', idempotency_key: 'smoke-sms' }
    const { request_id } = expect(await gateway.call('POST', '/v1/sms/send', body), 202)
    await until('the SMS to be delivered', async () => {
      const { status } = expect(await gateway.call('GET', `/v1/sms/${request_id}`), 200)
      return status === 'delivered' || undefined
    })
    await textAt(gateway, PHONE, /parcel/)
  },

  'sends mail by SMTP': async ({ gateway, smtp }) => {
    await sendMail(gateway, 'mail.example')
    await until('the mail at the mail server', async () => smtp.mails().find((mail) => /Your aubergines/.test(mail)))
  },

  'sends mail through SES': async ({ gateway, http }) => {
    await sendMail(gateway, BY_SES)
    await until('the call to SES', async () => http.paths().find((path) => path === SES_PATH))
  },

  'generates and validates a one-time code': async ({ gateway }) => {
    const body = { to: CODE_PHONE, idempotency_key: 'smoke-code' }
    const { challenge_id } = expect(await gateway.call('POST', '/v1/otp/generate', body), 202)
    const code = await textAt(gateway, CODE_PHONE, /\b\d{6}\b/)
    const validated = expect(await gateway.call('POST', '/v1/otp/validate', { challenge_id, code }), 200)
    if (validated['status'] !== 'verified') throw new Error(`the code ${code} is ${validated['status']}`)
  },

  'renders a template': async ({ gateway }) => {
    const body = { text: 'Hello {{ name }}', data: { name: 'Ana' } }
    const { text } = expect(await gateway.call('POST', '/v1/templates/preview', body), 200)
    if (text !== 'Hello Ana') throw new Error(`rendered ${text}`)
  },

  'searches by full text': async ({ gateway }) =>
    until('the mails to be found', async () => {
      const { items } = expect(await gateway.call('GET', '/v1/messages?q=aubergines'), 200)
      return (items as readonly unknown[]).length === 2 || undefined
    }),

  'takes mail over SMTP': async ({ gateway, smtp, submission }) => {
    const body = { name: 'smoke', scopes: ['email:send'] }
    const { key } = expect(await gateway.call('POST', '/v1/api-keys', body), 201)
    const password = Buffer.from(`\0apikey\0${key}`).toString('base64')
    const [from, to] = ['shop@mail.example', 'bea@mail.example']
    await speakSmtp(submission, [
      ...['EHLO smoke.example', `AUTH PLAIN ${password}`, `MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA'],
      toData([`From: ${from}`, `To: ${to}`, 'Subject: Your courgettes', 'Content-Type: text/html', '', ...LONG_LINES]),
    ])
    await until('the mail at the mail server', async () => smtp.mails().find((mail) => /Your courgettes/.test(mail)))
  },

  'takes a bounce over SMTP': async ({ smtp, submission }) => {
    const sender = smtp.senders().at(-1)
    await speakSmtp(submission, [
      ...['EHLO smoke.example', 'MAIL FROM:<>', `RCPT TO:<${sender}>`, 'DATA'],
      toData([...BOUNCE, '']),
    ])
  },

  'signs a person in': async ({ gateway }) => {
    const [email, password] = ['ana@example.com', 'four words are easy']
    const { invitation } = expect(await gateway.call('POST', '/v1/users', { email, role: 'viewer' }), 201)
    const token = new URL((invitation as { url: string }).url).hash.replace('#invitation=', '')
    expect(await gateway.call('POST', '/v1/session/accept-invitation', { token, password }), 200)
    expect(await gateway.call('POST', '/v1/session', { email, password }), 200)
  },

  'serves the console': async ({ gateway }) => {
    const page = await gateway.call('GET', '/console/')
    expect(page, 200)
    const [script = ''] = /\/console\/assets\/[^"]+\.js/.exec(page.text) ?? []
    expect(await gateway.call('GET', script), 200)
  },
}

function expect({ status, text, body }: Answer, wanted: number): Answer['body'] {
  if (status !== wanted) throw new Error(`expected ${wanted}, got ${status}: ${text.slice(0, 1_000)}`)
  return body
}

/** Short html is not parsed in a thread. */
const HTML = '<p>They arrive <b>today</b>.</p>'.repeat(200)

const LONG_LINES = Array.from({ length: 200 }, () => '<p>They arrive <b>today</b>.</p>')

const BOUNCE = [
  'From: postmaster@mail.example',
  'Subject: Undelivered mail',
  'Content-Type: multipart/report; report-type=delivery-status; boundary=part',
  '',
  '--part',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mail.example',
  '',
  'Final-Recipient: rfc822; bea@mail.example',
  'Action: failed',
  'Status: 5.1.1',
  '--part--',
]

async function sendMail(gateway: Gateway, domain: string): Promise<void> {
  const to = `ana@${domain}`
  const mail = { to, subject: 'Your aubergines', html: HTML, idempotency_key: to }
  expect(await gateway.call('POST', '/v1/email/send', mail), 202)
}

/** Waits until the simulated handset has a text like this, and returns what matches. */
const textAt = (gateway: Gateway, to: string, wanted: RegExp): Promise<string> =>
  until(`a text at ${to}`, async () => {
    const path = `/v1/simulator/inbox?to=${encodeURIComponent(to)}`
    const { items } = expect(await gateway.call('GET', path), 200)
    return (items as readonly { body: string }[]).map(({ body }) => wanted.exec(body)?.[0]).find(Boolean)
  })
