/** The message that `pombo send` sends: an SMS, or an email if the recipient is an email address. */
import { parseEmailAddress } from '../domain/email/address.ts'
import { parsePhoneNumber } from '../domain/message/phone-number.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { needed, type Values } from './command.ts'
import { failure, findInCauses, usageError } from './exit.ts'
import type { Json } from './json.ts'
import type { World } from './world.ts'

export const OUTGOING_OPTIONS = {
  to: { value: 'RECIPIENT', about: 'phone number in E.164 format, such as +15005550100, or email address' },
  from: { value: 'SENDER', about: 'sender id; for email, an address such as "Acme <no-reply@acme.example>"' },
  message: { value: 'TEXT', about: 'SMS: text' },
  flash: { about: 'SMS: send a flash SMS' },
  email: { about: 'email: send one (implied by an email address in --to)' },
  subject: { value: 'TEXT', about: 'email: subject' },
  html: { value: 'FILE', about: 'email: file with the HTML body; - reads standard input' },
  text: { value: 'TEXT', about: 'email: plain-text alternative' },
} as const

type Options = Values<typeof OUTGOING_OPTIONS>

/** `${resource}/send` takes it, `${resource}/{id}` shows it. */
export type Outgoing = Readonly<{ resource: '/v1/sms' | '/v1/email'; body: Json }>

export async function toOutgoing(world: Pick<World, 'readFile' | 'readInput'>, options: Options): Promise<Outgoing> {
  const to = needed('to', options.to)
  const isEmail = options.email === true || to.includes('@')
  refuseForeign(options, isEmail ? SMS_ONLY : EMAIL_ONLY, isEmail ? 'an email' : 'an SMS')
  return isEmail
    ? { resource: '/v1/email', body: await toEmail(world, to, options) }
    : { resource: '/v1/sms', body: toSms(to, options) }
}

const SMS_ONLY = ['message', 'flash'] as const
const EMAIL_ONLY = ['subject', 'html', 'text'] as const

/** An option of the other channel is an error: ignoring it would send less than the user asked for. */
function refuseForeign(options: Options, names: readonly (keyof Options)[], channel: string): void {
  const other = names.find((name) => options[name] !== undefined)
  if (other !== undefined) throw usageError(`--${other} does not apply to ${channel}`)
}

function toSms(to: string, { message, from, flash }: Options): Json {
  const body = { to, message: needed('message', message) }
  if (parsePhoneNumber(to) === undefined)
    throw usageError('--to must be a phone number in E.164 format, such as +15005550100')
  return omitUndefined({ ...body, sender_id: from, type: flash === true ? 'flash_sms' : undefined })
}

async function toEmail(world: Pick<World, 'readFile' | 'readInput'>, to: string, options: Options): Promise<Json> {
  if (parseEmailAddress(to) === undefined) throw usageError('--to must be an email address, such as ann@example.com')
  const { from, text } = options
  const subject = needed('subject', options.subject)
  const path = needed('html', options.html)
  const html = path === '-' ? await world.readInput() : read(world, path)
  return omitUndefined({ to, subject, html, text, from })
}

function read({ readFile }: Pick<World, 'readFile'>, path: string): string {
  try {
    return readFile(path)
  } catch (error) {
    throw failure(`cannot read the file of --html (${findInCauses(error, 'code') ?? 'no reason given'})`, error)
  }
}
