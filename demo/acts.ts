/** What happens to happen: each act is one message, or one person's little story, through the public API. */
import type { Client } from './client.ts'
import { chance, draw, pick, whole } from './dice.ts'
import { anybody, anyPhone } from './people.ts'
import { anyLetter, anyText, toData } from './words.ts'

export type Act = (client: Client) => Promise<unknown>

const TAGS = ['shipping', 'billing', 'reminder', 'travel'] as const
const tags = (): readonly string[] => [pick(TAGS)]
const metadata = (): Readonly<Record<string, string>> => ({ order: String(10_000 + whole(90_000)) })

const sms: Act = (client) =>
  client.send('/v1/sms/send', {
    to: chance(0.5) ? anybody().phone : anyPhone(),
    message: anyText(),
    sender_id: pick(['Acme', 'Loft']),
    tags: tags(),
    metadata: metadata(),
  })

const flash: Act = (client) =>
  client.send('/v1/sms/send', { to: anybody().phone, message: 'Gate 7 closes in five minutes.', type: 'flash_sms' })

/** By the shaky provider, and where that fails by another. */
const alert: Act = (client) =>
  client.send('/v1/sms/send', { to: anyPhone(), message: anyText(), sender_id: 'ALERTS', tags: ['alerts'] })

/** By the shaky provider alone. */
const tide: Act = (client) =>
  client.send('/v1/sms/send', { to: anyPhone(), message: 'High water at noon.', sender_id: 'TIDES', tags: ['alerts'] })

const shipped: Act = (client) => {
  const person = anybody()
  const template = { name: 'order-shipped', locale: person.locale, data: toData(person) }
  return client.send('/v1/sms/send', { to: person.phone, template, sender_id: 'Acme', tags: ['shipping'] })
}

const receipt: Act = (client) => {
  const person = anybody()
  const template = { name: 'receipt', data: toData(person) }
  return client.send('/v1/email/send', { to: person.email, template, tags: ['billing'], metadata: metadata() })
}

const letter: Act = (client) => client.send('/v1/email/send', { to: anybody().email, ...anyLetter(), tags: tags() })

/** Nearly everybody reads the code off the phone; some type it wrong, and some never come back. */
const code: Act = async (client) => {
  const to = anyPhone()
  const id = await client.send('/v1/otp/generate', { to, app_name: 'Acme' })
  if (id === undefined || chance(0.2)) return
  for (let look = 0; look < 20; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { body } = await client.call('GET', `/v1/simulator/inbox?to=${encodeURIComponent(to)}&limit=1`)
    const [, digits] = /(\d{6})/.exec(JSON.stringify((body['items'] as { body: string }[])[0]?.body ?? '')) ?? []
    if (digits === undefined) continue
    const typed = chance(0.15) ? '000000' : digits
    await client.call('POST', '/v1/otp/validate', { challenge_id: id, code: typed })
    return
  }
}

/** Nobody waits for it long enough: it expires between two attempts. */
const late: Act = (client) =>
  client.send('/v1/sms/send', {
    to: '+15005550003',
    message: 'Your taxi is here.',
    expires_at: new Date(Date.now() + 1_500).toISOString(),
  })

const magicSms =
  (last: number): Act =>
  (client) =>
    client.send('/v1/sms/send', { to: `+1500555000${last}`, message: anyText(), sender_id: 'Acme', tags: tags() })

const magicMail =
  (mailbox: string): Act =>
  (client) =>
    client.send('/v1/email/send', { to: `${mailbox}@sim.pombo.test`, ...anyLetter() })

/** Whoever bounces or complains gets no more mail, so it is somebody else each time, and sometimes one too often. */
const bouncing: Act = async (client) => {
  const to = `${pick(['bounce', 'bounce', 'complaint'])}+${whole(100_000)}@sim.pombo.test`
  await client.send('/v1/email/send', { to, ...anyLetter() })
  if (chance(0.6)) return
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  await client.send('/v1/email/send', { to, ...anyLetter() })
}

const ACTS: readonly (readonly [number, Act])[] = [
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
  [1, magicMail('invalid')],
  [1, magicMail('flaky')],
  [1, magicMail('down')],
  [1, magicMail('limbo')],
  [1, magicMail('paper.only')],
  [2, bouncing],
  [1, late],
]

export const anyAct = (): Act => draw(ACTS)

/** One of each, so that even a short demo has them all. */
export const everyAct: readonly Act[] = ACTS.map(([, act]) => act)
