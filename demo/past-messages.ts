/** The kinds of message of the day before the demo, each with what became of it. */
import type { EmailAddress } from '../src/domain/email/address.ts'
import { type EmailContent, type Lane, MAIL, type SmsContent } from '../src/domain/message/message.ts'
import type { PhoneNumber } from '../src/domain/message/phone-number.ts'
import { toSegmentation } from '../src/domain/message/segments.ts'
import type { SenderId } from '../src/domain/message/sender-id.ts'
import { toBuiltInText } from '../src/domain/otp/texts.ts'
import type { Submission } from '../src/flows/send/accept.ts'
import { type Instant, later, seconds } from '../src/lib/time.ts'
import type { Dice } from '../src/ports/world.ts'
import { SHAKY } from './config.ts'
import * as fates from './fates.ts'
import { anybody, anyPhone } from './people.ts'
import { chance, draw, pick, randomBelow, type Weighted } from './random.ts'
import { anyText, EMAILS, order } from './texts.ts'

/** What was sent, on which way, and what became of it. */
export type Sent = Pick<Submission, 'content' | 'form'> &
  Omit<fates.Way, 'createdAt' | 'channel' | 'dice'> &
  Readonly<{ lane?: Lane; account?: string; fate: fates.Fate }>
export type Kind = (createdAt: Instant, dice: Dice) => Sent

const TAGS = ['shipping', 'billing', 'reminder', 'travel'] as const
const OTP_TTL = seconds(300)
/** The shares of the providers on the routes of config.ts. */
const CARRIERS: Weighted<string> = [
  [3, 'north'],
  [1, 'south'],
]
const MAILERS: Weighted<string> = [
  [5, 'post'],
  [1, 'south'],
]
/** As often as its error rate says. */
const usual = (provider: string, dice: Dice): fates.Fate =>
  provider === 'south' && chance(0.05, dice) ? fates.retried : fates.delivered

type SmsParts = Partial<Pick<SmsContent, 'body' | 'tags' | 'metadata' | 'otp' | 'expiresAt'>> & { sender?: string }

function toSms(to: string, dice: Dice, parts: SmsParts): Pick<Sent, 'content' | 'form'> {
  const { sender, body = anyText(dice), tags = [pick(TAGS, dice)], metadata = {}, ...rest } = parts
  const { segments, encoding } = toSegmentation(body)
  const from = sender === undefined ? {} : { from: sender as SenderId }
  const content: SmsContent = {
    channel: 'sms',
    kind: 'sms',
    to: to as PhoneNumber,
    body,
    metadata,
    tags,
    ...from,
    ...rest,
  }
  return { content, form: { segments, encoding } }
}

const parcel: Kind = (_, dice) => {
  const provider = draw(CARRIERS, dice)
  const to = chance(0.5, dice) ? anybody(dice).phone : anyPhone(dice)
  const sms = toSms(to, dice, { sender: pick(['Acme', 'Loft'], dice), metadata: { order: order(dice) } })
  return { ...sms, provider, route: 'sms', fate: usual(provider, dice) }
}

/** To one of the simulator's magic numbers. */
const magicSms =
  (last: number, fate: fates.Fate, route = 'sms'): Kind =>
  (_, dice) => ({
    ...toSms(`+1500555000${last}`, dice, { sender: 'Acme' }),
    provider: draw(CARRIERS, dice),
    route,
    fate,
  })

const late: Kind = (createdAt, dice) => ({
  ...toSms('+15005550003', dice, { body: 'Your taxi is here.', expiresAt: later(createdAt, seconds(1.5)) }),
  provider: draw(CARRIERS, dice),
  route: 'sms',
  fate: fates.expired,
})

const code: Kind = (createdAt, dice) => {
  const digits = String(randomBelow(1_000_000, dice)).padStart(6, '0')
  const otp = { code: digits, ttl: OTP_TTL, maxAttempts: 3, appName: 'Acme' }
  const body = toBuiltInText({ code: digits, minutes: OTP_TTL / 60_000, appName: 'Acme' })
  const sms = toSms(anyPhone(dice), dice, { body, otp, tags: [], expiresAt: later(createdAt, OTP_TTL) })
  return { ...sms, lane: 'otp', provider: draw(CARRIERS, dice), route: 'sms', fate: fates.usedCode }
}

/** Uses the shaky provider first, and fails over to another. */
export const alert: Kind = (_, dice) => {
  const fate = chance(0.45, dice) ? fates.delivered : fates.failedOver(chance(0.5, dice) ? 1 : 2, 'north')
  const sms = toSms(anyPhone(dice), dice, { sender: 'ALERTS', tags: ['alerts'] })
  return { ...sms, provider: SHAKY, route: 'alerts', operator: 'coastguard', fate }
}

/** Uses only the shaky provider. */
const tide: Kind = (_, dice) => {
  const fate = chance(0.6, dice) ? (chance(0.2, dice) ? fates.outOfService : fates.retried) : fates.delivered
  const sms = toSms(anyPhone(dice), dice, { sender: 'TIDES', body: 'High water at noon.', tags: ['alerts'] })
  return { ...sms, provider: SHAKY, route: 'tides', operator: 'coastguard', fate }
}

const OFFER = 'Birdseed at half price, this week only. Come by!'

/** In the bulk lane. */
export const offer: Kind = (_, dice) => {
  const provider = draw(CARRIERS, dice)
  const sms = toSms(anyPhone(dice), dice, { sender: 'Loft', body: OFFER, tags: ['spring-sale'] })
  return { ...sms, lane: 'bulk', account: 'marketing', provider, route: 'sms', fate: usual(provider, dice) }
}

function toMail(to: string, dice: Dice): Pick<Sent, 'content' | 'form'> {
  const [subject, html] = chance(0.5, dice)
    ? [`Receipt for order ${order(dice)}`, '<h1>Thank you</h1><p>See you soon.</p>']
    : pick(EMAILS, dice)
  const content: EmailContent = {
    channel: 'email',
    kind: 'email',
    to: to as EmailAddress,
    from: { name: 'Acme', address: 'hello@acme.example' as EmailAddress },
    subject,
    html,
    metadata: { order: order(dice) },
    tags: [pick(TAGS, dice)],
  }
  return { content, form: MAIL }
}

const letter: Kind = (_, dice) => {
  const provider = draw(MAILERS, dice)
  return { ...toMail(anybody(dice).email, dice), provider, route: 'mail', fate: usual(provider, dice) }
}

/** To one of the simulator's magic mailboxes, a new one each time: bounces suppress an address. */
const magicMail =
  (mailbox: string, fate: fates.Fate): Kind =>
  (_, dice) => {
    const to = `${mailbox}+${randomBelow(100_000, dice)}@sim.pombo.test`
    return { ...toMail(to, dice), provider: draw(MAILERS, dice), route: 'mail', fate }
  }

const NOT_THERE = 'the simulated recipient does not exist'

/** What is sent all day. */
export const ALL_DAY: Weighted<Kind> = [
  [50, parcel],
  [26, letter],
  [10, code],
  [4, alert],
  [2, tide],
  [1.2, magicSms(3, fates.outOfReach)],
  [0.8, magicSms(1, fates.refused('INVALID_NUMBER', NOT_THERE))],
  [0.4, magicSms(2, fates.refused('NUMBER_BLOCKED', 'the simulated recipient is blocked'))],
  [0.4, magicSms(4, fates.neverReached, 'hopeless')],
  [0.8, magicSms(5, fates.limbo)],
  [1, magicSms(7, fates.bounced('UNREACHABLE'))],
  [0.2, late],
  [0.4, magicMail('invalid', fates.refused('INVALID_EMAIL', NOT_THERE))],
  [0.5, magicMail('bounce', fates.bounced('HARD_BOUNCE'))],
  [0.2, magicMail('complaint', fates.complained)],
  [0.3, magicMail('flaky', fates.outOfReach)],
  [0.5, magicMail('limbo', fates.limbo)],
]
