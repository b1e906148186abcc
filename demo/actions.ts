/** The random actions of the demo: each sends one message, or plays a short sequence, through the public API. */
import type { Client } from './client.ts'
import { anybody, anyPhone } from './people.ts'
import { chance, draw, pick, randomBelow } from './random.ts'
import { anyEmail, anyText, toData } from './texts.ts'

export type Action = (client: Client) => Promise<unknown>

const TAGS = ['shipping', 'billing', 'reminder', 'travel'] as const
const tags = (): readonly string[] => [pick(TAGS)]
const metadata = (): Readonly<Record<string, string>> => ({ order: String(10_000 + randomBelow(90_000)) })

const sms: Action = (client) =>
  client.send('/v1/sms/send', {
    to: chance(0.5) ? anybody().phone : anyPhone(),
    message: anyText(),
    sender_id: pick(['Acme', 'Loft']),
    tags: tags(),
    metadata: metadata(),
  })

const flash: Action = (client) =>
  client.send('/v1/sms/send', { to: anybody().phone, message: 'Gate 7 closes in five minutes.', type: 'flash_sms' })

/** Uses the shaky provider first, and fails over to another. */
const alert: Action = (client) =>
  client.send('/v1/sms/send', { to: anyPhone(), message: anyText(), sender_id: 'ALERTS', tags: ['alerts'] })

/** Uses only the shaky provider. */
const tide: Action = (client) =>
  client.send('/v1/sms/send', { to: anyPhone(), message: 'High water at noon.', sender_id: 'TIDES', tags: ['alerts'] })

const shipped: Action = (client) => {
  const person = anybody()
  const template = { name: 'order-shipped', locale: person.locale, data: toData(person) }
  return client.send('/v1/sms/send', { to: person.phone, template, sender_id: 'Acme', tags: ['shipping'] })
}

const receipt: Action = (client) => {
  const person = anybody()
  const template = { name: 'receipt', data: toData(person) }
  return client.send('/v1/email/send', { to: person.email, template, tags: ['billing'], metadata: metadata() })
}

const letter: Action = (client) => client.send('/v1/email/send', { to: anybody().email, ...anyEmail(), tags: tags() })

/** Most people enter the code they got; some mistype it, and some never return. */
const code: Action = async (client) => {
  const to = anyPhone()
  const id = await client.send('/v1/otp/generate', { to, app_name: 'Acme' })
  if (id === undefined || chance(0.2)) return
  for (let poll = 0; poll < 20; poll += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { body } = await client.call('GET', `/v1/simulator/inbox?to=${encodeURIComponent(to)}&limit=1`)
    const [, digits] = /(\d{6})/.exec(JSON.stringify((body['items'] as { body: string }[])[0]?.body ?? '')) ?? []
    if (digits === undefined) continue
    const typed = chance(0.15) ? '000000' : digits
    await client.call('POST', '/v1/otp/validate', { challenge_id: id, code: typed })
    return
  }
}

/** Expires between two attempts. */
const late: Action = (client) =>
  client.send('/v1/sms/send', {
    to: '+15005550003',
    message: 'Your taxi is here.',
    expires_at: new Date(Date.now() + 1_500).toISOString(),
  })

const magicSms =
  (last: number): Action =>
  (client) =>
    client.send('/v1/sms/send', { to: `+1500555000${last}`, message: anyText(), sender_id: 'Acme', tags: tags() })

const magicEmail =
  (mailbox: string): Action =>
  (client) =>
    client.send('/v1/email/send', { to: `${mailbox}@sim.pombo.test`, ...anyEmail() })

/** Bounces and complaints suppress the address, so a new one is used each time; some are sent to again and refused. */
const bouncing: Action = async (client) => {
  const to = `${pick(['bounce', 'bounce', 'complaint'])}+${randomBelow(100_000)}@sim.pombo.test`
  await client.send('/v1/email/send', { to, ...anyEmail() })
  if (chance(0.6)) return
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  await client.send('/v1/email/send', { to, ...anyEmail() })
}

const ACTIONS: readonly (readonly [number, Action])[] = [
  [34, sms],
  [12, shipped],
  [12, receipt],
  [12, letter],
  [10, code],
  [2, flash],
  [5, alert],
  [2, tide],
  [3, magicSms(3)],
  [1, magicSms(1)],
  [1, magicSms(2)],
  [1, magicSms(4)],
  [2, magicSms(5)],
  [1, magicSms(6)],
  [2, magicSms(7)],
  [1, magicSms(8)],
  [1, magicSms(9)],
  [1, magicEmail('invalid')],
  [1, magicEmail('flaky')],
  [1, magicEmail('down')],
  [1, magicEmail('limbo')],
  [1, magicEmail('paper.only')],
  [2, bouncing],
  [1, late],
]

export const anyAction = (): Action => draw(ACTIONS)

/** One of each, so that even a short demo shows all of them. */
export const everyAction: readonly Action[] = ACTIONS.map(([, action]) => action)
