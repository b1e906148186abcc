/** What `pombo send` asks for: an SMS, or a mail where the recipient is an email address. */
import { parseEmailAddress } from '../domain/email/address.ts'
import { parsePhoneNumber } from '../domain/message/phone-number.ts'
import { needed, type Values } from './command.ts'
import { failure, findInCauses, usageError } from './exit.ts'
import type { Json } from './json.ts'
import type { World } from './world.ts'

export const OUTGOING_OPTIONS = {
  to: { value: 'RECIPIENT', about: 'a number in E.164, such as +15005550100, or an email address' },
  from: { value: 'SENDER', about: 'the sender id; of a mail, an address such as "Acme <no-reply@acme.example>"' },
  message: { value: 'TEXT', about: 'SMS: the text' },
  flash: { about: 'SMS: send a flash SMS' },
  email: { about: 'mail: send one; what the recipient is says so too' },
  subject: { value: 'TEXT', about: 'mail: the subject' },
  html: { value: 'FILE', about: 'mail: what it says, read from a file, or from standard input where this is -' },
  text: { value: 'TEXT', about: 'mail: what is shown where html is not; none unless given' },
} as const

type Given = Values<typeof OUTGOING_OPTIONS>

/** `resource` is where it is posted, under `send`, and followed, under its id. */
export type Outgoing = Readonly<{ resource: '/v1/sms' | '/v1/email'; body: Json }>

export async function toOutgoing(world: Pick<World, 'readFile' | 'readInput'>, given: Given): Promise<Outgoing> {
  const to = needed('to', given.to)
  const isMail = given.email === true || to.includes('@')
  refuseForeign(given, isMail ? SMS_ONLY : MAIL_ONLY, isMail ? 'a mail' : 'an SMS')
  return isMail
    ? { resource: '/v1/email', body: await toMail(world, to, given) }
    : { resource: '/v1/sms', body: toSms(to, given) }
}

const SMS_ONLY = ['message', 'flash'] as const
const MAIL_ONLY = ['subject', 'html', 'text'] as const

/** Whoever says more than can be sent would find half of it missing. */
function refuseForeign(given: Given, names: readonly (keyof Given)[], what: string): void {
  const foreign = names.find((name) => given[name] !== undefined)
  if (foreign !== undefined) throw usageError(`--${foreign} is not for ${what}, which is what --to asks for`)
}

function toSms(to: string, { message, from, flash }: Given): Json {
  const body = { to, message: needed('message', message) }
  if (parsePhoneNumber(to) === undefined) throw usageError('--to must be a number in E.164, such as +15005550100')
  return {
    ...body,
    ...(from === undefined ? {} : { sender_id: from }),
    ...(flash === true ? { type: 'flash_sms' } : {}),
  }
}

async function toMail(world: Pick<World, 'readFile' | 'readInput'>, to: string, given: Given): Promise<Json> {
  if (parseEmailAddress(to) === undefined) throw usageError('--to must be an email address, such as ann@example.com')
  const { from, text } = given
  const subject = needed('subject', given.subject)
  const path = needed('html', given.html)
  return {
    to,
    subject,
    html: path === '-' ? await world.readInput() : read(world, path),
    ...(text === undefined ? {} : { text }),
    ...(from === undefined ? {} : { from }),
  }
}

function read({ readFile }: Pick<World, 'readFile'>, path: string): string {
  try {
    return readFile(path)
  } catch (error) {
    throw failure(`the file of --html cannot be read (${findInCauses(error, 'code') ?? 'no reason given'})`, error)
  }
}
