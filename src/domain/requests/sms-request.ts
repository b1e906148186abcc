/** Parses a request to send an SMS, and reports every problem. */
import type { SmsAddress, SmsContent } from '../message/message.ts'
import { parsePhoneNumber } from '../message/phone-number.ts'
import { nonGsmCharacters, type Segmentation } from '../message/segments.ts'
import { parseSenderId } from '../message/sender-id.ts'
import { MAX_SMS_CHARACTERS, parseSmsBody, type SmsBody } from '../message/sms-body.ts'
import {
  type Bad,
  beside,
  type CommonFields,
  type Composed,
  type FieldProblem,
  type NameFields,
  NO_TEXT,
  NOT_TEXT,
  noteIn,
  readAddress,
  readDeadline,
  sorted,
  toNamed,
  unprintable,
} from './request-fields.ts'

export type SmsComposed = Composed<SmsAddress, string>

/** The fields as received, their JSON types already checked. */
export type SmsRequest = NameFields &
  CommonFields &
  Readonly<{ to?: string; message?: string; type?: 'sms' | 'flash_sms'; sender_id?: string }>

export type ParsedSms =
  | Readonly<{ kind: 'ok'; content: SmsContent; segmentation: Segmentation }>
  | Readonly<{ kind: 'bad'; problems: readonly FieldProblem[] }>

/** `composed` holds the recipient and the rendered template, where the request names them. */
export function parseSmsRequest(request: SmsRequest, maxParts: number, composed?: SmsComposed): ParsedSms {
  const problems: FieldProblem[] = composed === undefined ? [] : [...composed.problems]
  const bad = noteIn(problems)
  const to = readAddress(request, composed, NUMBER, bad)
  const body = readBody(request, composed, maxParts, bad)
  const from =
    request.sender_id === undefined ? undefined : (parseSenderId(request.sender_id) ?? bad('sender_id', SENDER))
  const expiresAt = request.expires_at === undefined ? undefined : readDeadline(request.expires_at, bad)
  const { metadata, tags = [], callback_url: callbackUrl } = request
  for (const path of unprintable(request)) bad(path, NOT_TEXT)

  if (to === undefined || body === undefined || problems.length > 0) return { kind: 'bad', problems }
  // In one order: an idempotent replay compares contents as JSON.
  const content: SmsContent = {
    channel: 'sms',
    kind: request.type ?? 'sms',
    to,
    ...(from !== undefined && { from }),
    body: body.text,
    ...(composed && toNamed(composed)),
    metadata: sorted(metadata),
    tags,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(callbackUrl !== undefined && { callbackUrl }),
  }
  return { kind: 'ok', content, segmentation: body }
}

const NUMBER = { parse: parsePhoneNumber, wrong: 'must be a phone number in E.164 format, for example +15005550006' }
const SENDER = 'must be 1 to 20 letters, digits, spaces or . _ & + -'

function readBody(
  request: SmsRequest,
  composed: SmsComposed | undefined,
  maxParts: number,
  bad: Bad,
): SmsBody | undefined {
  const { message, template } = request
  if (template === undefined) return message === undefined ? bad('message', NO_TEXT) : readText(message, maxParts, bad)
  if (message !== undefined) return bad('template', beside('message'))
  if (composed?.text === undefined) return undefined
  return readText(composed.text, maxParts, (_, problem) => bad('template', `renders a text that ${problem}`))
}

function readText(message: string, maxParts: number, bad: Bad): SmsBody | undefined {
  const body = parseSmsBody(message)
  if (body === 'empty') return bad('message', 'must not be empty')
  if (body === 'too-long') return bad('message', `must be at most ${MAX_SMS_CHARACTERS} characters`)
  if (body === 'not-text') return bad('message', NOT_TEXT)
  return body.segments <= maxParts ? body : bad('message', tooManyParts(body, maxParts))
}

function tooManyParts({ encoding, segments, text }: SmsBody, maxParts: number): string {
  const culprits = encoding === 'ucs2' ? `; UCS-2 is needed for ${nonGsmCharacters(text).slice(0, 10).join(' ')}` : ''
  return `would take ${segments} segments; the maximum is ${maxParts}${culprits}`
}
