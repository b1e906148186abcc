/** What a caller must say to send an SMS, and every reason why it may be refused. */
import type { SmsContent } from './message.ts'
import { parsePhoneNumber } from './phone-number.ts'
import { nonGsmCharacters, type Segmentation } from './segments.ts'
import { parseSenderId } from './sender-id.ts'
import { MAX_SMS_CHARACTERS, parseSmsBody, type SmsBody } from './sms-body.ts'
import { type Instant, parseInstant } from './time.ts'

/** The fields as they came, their JSON types already checked. */
export type SmsRequest = Readonly<{
  to: string
  message: string
  type?: 'sms' | 'flash_sms'
  sender_id?: string
  metadata?: Readonly<Record<string, string>>
  tags?: readonly string[]
  expires_at?: string
  callback_url?: string
}>

export type FieldProblem = Readonly<{ path: string; message: string }>

export type ParsedSms =
  | Readonly<{ kind: 'ok'; content: SmsContent; segmentation: Segmentation }>
  | Readonly<{ kind: 'bad'; problems: readonly FieldProblem[] }>

export function parseSmsRequest(request: SmsRequest, maxParts: number): ParsedSms {
  const problems: FieldProblem[] = []
  const bad = (path: string, message: string): undefined => {
    problems.push({ path, message })
    return undefined
  }
  const to = parsePhoneNumber(request.to) ?? bad('to', 'must be a phone number in E.164, such as +5511987654321')
  const body = readBody(request.message, maxParts, bad)
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
    metadata: sorted(metadata),
    tags,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
  }
  return { kind: 'ok', content, segmentation: body }
}

type Bad = (path: string, message: string) => undefined

const SENDER = 'must be 1 to 20 letters, digits, spaces or . _ & + -'

function readBody(message: string, maxParts: number, bad: Bad): SmsBody | undefined {
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
