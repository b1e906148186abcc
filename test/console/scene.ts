/** Fills every page: messages in every final state, and one of each setting. */
import assert from 'node:assert/strict'
import { sendMail } from '../support/email.ts'
import type { Gateway } from '../support/gateway.ts'
import { generate, someOtp } from '../support/otp.ts'
import { magic, send, untilEvent, untilIndexed, untilStatus } from '../support/sms.ts'

/**
 * Keeps the circuit breakers closed, lets messages fail after two attempts, and keeps the outcome unknown for messages
 * from `Mute` to the recipient whose call times out.
 */
export const SCENE_CONFIG = {
  env: { POMBO_BREAKER_FAILURES: '1000000' },
  config: {
    providers: [
      { name: 'simulator', kind: 'simulator' },
      { name: 'spare', kind: 'simulator' },
      { name: 'mute', kind: 'simulator', settings: { receipt_delay_ms: 3_600_000 } },
    ],
    routes: [
      {
        id: 'sms',
        channel: 'sms',
        providers: ['simulator', 'spare'],
        retry: { max_attempts: 2, delays_seconds: [0.1] },
      },
      {
        id: 'mute',
        channel: 'sms',
        sender: 'Mute',
        providers: ['mute'],
        unknown: { wait_seconds: 3_600, policy: 'hold' },
      },
      { id: 'mail', channel: 'email', providers: ['simulator'], retry: { max_attempts: 1 } },
    ],
  },
}

export type Scene = Readonly<{ delivered: string; dead: string; unknown: string; mail: string; code: string }>

const HTML =
  '<h1 style="color: #0b6b63">On its way</h1><p>Your parcel comes <b>today</b>.</p><style>p { margin: 4px }</style>'

export async function createScene(gateway: Gateway): Promise<Scene> {
  await createSettings(gateway)
  const [delivered, dead, unknown, mail, { body: code }] = await Promise.all([
    send(gateway, { tags: ['order'], metadata: { order: 'A-1042' }, message: 'Olá, Zoë: 20 € “today” 🕊' }),
    send(gateway, { to: magic('0004'), tags: ['order', 'urgent'] }),
    send(gateway, { to: magic('0005'), sender_id: 'Mute' }),
    sendMail(gateway, { html: HTML, tags: ['order'] }),
    generate(gateway, someOtp()),
    send(gateway, { to: magic('0001') }),
    send(gateway, { to: magic('0006') }),
    sendMail(gateway, { to: 'bounce@sim.pombo.test' }),
    sendMail(gateway, { to: 'down@sim.pombo.test' }),
  ])
  await untilStatus(gateway, delivered, 'delivered')
  await untilStatus(gateway, dead, 'failed')
  await untilStatus(gateway, mail, 'delivered')
  await untilEvent(gateway, unknown, 'HandoffUnknown')
  await untilIndexed(gateway)
  return { delivered, dead, unknown, mail, code: code.request_id }
}

async function createSettings(gateway: Gateway): Promise<void> {
  const text = 'Hello {{ name }}, your parcel {{ number }} is on its way.'
  const settings = [
    ['POST', '/v1/templates', { name: 'shipped', channel: 'sms', text }],
    ['POST', '/v1/templates', { name: 'welcome', channel: 'email', text, subject: 'Welcome', html: `<p>${text}</p>` }],
    ['POST', '/v1/recipients', { name: 'Ana Souza', phone: '+15005550123', email: 'ana@mail.example', locale: 'pt' }],
    ['POST', '/v1/suppressions', { items: [{ address: 'gone@mail.example', note: 'by phone' }] }],
    ['POST', '/v1/endpoints', { id: 'orders', url: 'http://127.0.0.1:9/hooks' }],
    ['PUT', '/v1/limits/account/*', { limit: 1_000, window_seconds: 60, algorithm: 'sliding' }],
    ['PUT', '/v1/limits/recipient/+15005550123', { limit: 5, window_seconds: 600 }],
    ['POST', '/v1/routes', { id: 'brazil', channel: 'sms', prefix: '+55', providers: ['spare', 'simulator'] }],
  ] as const
  for (const [method, path, body] of settings) {
    const { status, text: detail } = await gateway.call(method, path, body)
    assert.ok(status < 300, `${path} ${detail}`)
  }
}
