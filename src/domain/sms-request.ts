/** What a caller must say to send an SMS, and every reason why it may be refused. */
import type { NamedTemplate, SmsAddress, SmsContent } from './message.ts'
import { parsePhoneNumber } from './phone-number.ts'
import type { RecipientId } from './recipient.ts'
import { nonGsmCharacters, type Segmentation } from './segments.ts'
import { parseSenderId } from './sender-id.ts'
import { MAX_SMS_CHARACTERS, parseSmsBody, type SmsBody } from './sms-body.ts'
import type { TemplateData } from './template-data.ts'
import { type Instant, parseInstant } from './time.ts'

export type FieldProblem = Readonly<{ path: string; message: string }>

/** What may be said in place of `to` and `message`. */
export type NameFields = Readonly<{
  recipient_id?: string
  recipient_external_id?: string
  template?: Readonly<{ name: string; locale?: string; data?: TemplateData }>
}>

/** The same, understood. */
export type SmsNames = Readonly<{
  recipient?: Readonly<{ id: RecipientId } | { externalId: string }>
  template?: NamedTemplate
}>

/** What became of it. `to` and `text` are missing where nothing was named, or where a problem says why. */
export type Composed = Readonly<{
  names: SmsNames
  recipientId?: RecipientId
  /** What the tenant calls the recipient. */
  user?: string
  to?: SmsAddress
  text?: string
  problems: readonly FieldProblem[]
}>

/** The fields as they came, their JSON types already checked. */
export type SmsRequest = NameFields &
  Readonly<{
    to?: string
    message?: string
    type?: 'sms' | 'flash_sms'
    sender_id?: string
    metadata?: Readonly<Record<string, string>>
    tags?: readonly string[]
    expires_at?: string
    callback_url?: string
  }>

export type ParsedSms =
  | Readonly<{ kind: 'ok'; content: SmsContent; segmentation: Segmentation }>
  | Readonly<{ kind: 'bad'; problems: readonly FieldProblem[] }>

/** `composed` is what became of the recipient and the template that the request names, if it names any. */
export function parseSmsRequest(request: SmsRequest, maxParts: number, composed?: Composed): ParsedSms {
  const problems: FieldProblem[] = composed === undefined ? [] : [...composed.problems]
  const bad = (path: string, message: string): undefined => {
    problems.push({ path, message })
    return undefined
  }
  const to = readAddress(request, composed, bad)
  const body = readBody(request, composed, maxParts, bad)
  const from =
    request.sender_id === undefined ? undefined : (parseSenderId(request.sender_id) ?? bad('sender_id', SENDER))
  const expiresAt = request.expires_at === undefined ? undefined : readDeadline(request.expires_at, bad)
  const { metadata = {}, tags = [], callback_url: callbackUrl } = request
  for (const path of unprintable({ metadata, tags })) bad(path, 'must be well-formed text without NUL')

  if (to === undefined || body === undefined || problems.length > 0) return { kind: 'bad', problems }
  const content: SmsContent = {
    channel: 'sms',
    kind: request.type ?? 'sms',
    to,
    ...(from === undefined ? {} : { from }),
    body: body.text,
    ...(composed === undefined ? {} : toNamed(composed)),
    metadata: sorted(metadata),
    tags,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
  }
  return { kind: 'ok', content, segmentation: body }
}

type Bad = (path: string, message: string) => undefined

const SENDER = 'must be 1 to 20 letters, digits, spaces or . _ & + -'

function toNamed({ names: { recipient, template }, recipientId }: Composed) {
  return {
    ...(recipientId === undefined ? {} : { recipientId }),
    ...(recipient !== undefined && 'externalId' in recipient ? { recipientExternalId: recipient.externalId } : {}),
    ...(template === undefined ? {} : { template }),
  }
}

function readAddress(request: SmsRequest, composed: Composed | undefined, bad: Bad): SmsAddress | undefined {
  const { to, recipient_id: id, recipient_external_id: externalId } = request
  if (to === undefined) {
    if (id !== undefined && externalId !== undefined) return bad('recipient_external_id', beside('recipient_id'))
    return id === undefined && externalId === undefined ? bad('to', NO_ADDRESS) : composed?.to
  }
  if (id !== undefined) bad('recipient_id', beside('to'))
  if (externalId !== undefined) bad('recipient_external_id', beside('to'))
  return parsePhoneNumber(to) ?? bad('to', 'must be a phone number in E.164, such as +5511987654321')
}

const NO_ADDRESS = 'is required, or recipient_id or recipient_external_id in its place'
const NO_TEXT = 'is required, or template in its place'
const beside = (other: string): string => `must not be given beside ${other}`

function readBody(
  request: SmsRequest,
  composed: Composed | undefined,
  maxParts: number,
  bad: Bad,
): SmsBody | undefined {
  const { message, template } = request
  if (template === undefined) return message === undefined ? bad('message', NO_TEXT) : readText(message, maxParts, bad)
  if (message !== undefined) return bad('template', beside('message'))
  if (composed?.text === undefined) return undefined
  return readText(composed.text, maxParts, (_, problem) => bad('template', `makes a text that ${problem}`))
}

function readText(message: string, maxParts: number, bad: Bad): SmsBody | undefined {
  const body = parseSmsBody(message)
  if (body === 'empty') return bad('message', 'must not be empty')
  if (body === 'too-long') return bad('message', `must be at most ${MAX_SMS_CHARACTERS} characters`)
  if (body === 'not-text') return bad('message', 'must be well-formed text without NUL')
  return body.segments <= maxParts ? body : bad('message', tooManyParts(body, maxParts))
}

function tooManyParts({ encoding, segments, text }: SmsBody, maxParts: number): string {
  const culprits = encoding === 'ucs2' ? `; ${nonGsmCharacters(text).slice(0, 10).join(' ')} force UCS-2` : ''
  return `would be ${segments} parts, more than the ${maxParts} allowed${culprits}`
}

/** One in the past is for `accept` to refuse: a call that is repeated may have become late. */
function readDeadline(text: string, bad: Bad): Instant | undefined {
  return parseInstant(text) ?? bad('expires_at', 'must be an RFC 3339 date and time, such as 2030-01-31T12:00:00Z')
}

function unprintable({ metadata, tags }: Pick<SmsContent, 'metadata' | 'tags'>): string[] {
  const isBroken = (text: string): boolean => text.includes('\0') || !text.isWellFormed()
  return [
    ...Object.entries(metadata).flatMap(([key, value]) => (isBroken(key) || isBroken(value) ? ['metadata'] : [])),
    ...tags.flatMap((tag, place) => (isBroken(tag) ? [`tags/${place}`] : [])),
  ]
}

/** Two requests that differ only in the order of their metadata are the same request. */
const sorted = (record: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
