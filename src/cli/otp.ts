/** `pombo otp`: sends, checks, shows and cancels one-time codes. The code itself is never shown. */
import { randomUUID } from 'node:crypto'
import { parseEmailAddress } from '../domain/email/address.ts'
import { parseMessageId } from '../domain/ids.ts'
import { parsePhoneNumber } from '../domain/message/phone-number.ts'
import { CODE_LENGTH } from '../domain/otp/code.ts'
import { OTP_ATTEMPTS, OTP_TTL, type OtpGuess, parseOtpGuess } from '../domain/requests/otp-request.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Client, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, type Values, whole } from './command.ts'
import { EXIT, failure, usageError } from './exit.ts'
import { type Json, numberIn, textIn } from './json.ts'
import type { World } from './world.ts'

const OPTIONS = {
  ttl: { value: 'SECONDS', about: `how long the code is valid, 30 to 3600 (${OTP_TTL.default})` },
  attempts: { value: 'NUMBER', about: `how many checks are allowed, up to 10 (${OTP_ATTEMPTS.default})` },
  length: { value: 'NUMBER', about: `how many characters the code has, 4 to 10 (${CODE_LENGTH.default})` },
  alphanumeric: { about: 'a code of letters and digits' },
  app: { value: 'NAME', about: 'the name of the app in the text' },
  locale: { value: 'TAG', about: 'the language of the text, such as pt-BR' },
  to: { value: 'RECIPIENT', about: 'checks only a code that was sent to this recipient' },
  key: { value: 'KEY', about: 'idempotency key: the same key never sends twice' },
  ...JSON_OPTION,
  ...GATEWAY_OPTIONS,
} as const

const USAGE =
  'usage: pombo otp send RECIPIENT, or pombo otp check CHALLENGE CODE, or pombo otp status|resend|cancel CHALLENGE'

export const otp = defineCommand({
  name: 'otp',
  summary: 'Send a one-time code to a number or an email address; check, show, resend or cancel one.',
  words: { usage: 'send RECIPIENT | check CHALLENGE CODE | status|resend|cancel CHALLENGE', least: 2, most: 3 },
  options: OPTIONS,
  async run(world, values, [verb, subject = '', code]) {
    if (verb === 'send' && code === undefined) return await send(world, values, subject)
    if (verb === 'check' && code !== undefined) return await check(world, values, subject, code)
    const call = code === undefined ? CALLS.get(verb ?? '') : undefined
    if (call !== undefined) return await tell(world, values, subject, call)
    throw usageError(USAGE)
  },
})

type Options = Values<typeof OPTIONS>

type Call = Readonly<{ method: 'GET' | 'POST'; path: string }>
const CALLS = new Map<string, Call>([
  ['status', { method: 'GET', path: '' }],
  ['resend', { method: 'POST', path: '/resend' }],
  ['cancel', { method: 'POST', path: '/cancel' }],
])

/** Prints how the challenge stands afterwards. */
async function tell(world: World, values: Options, challenge: string, { method, path }: Call): Promise<number> {
  const id = parseMessageId(challenge)
  if (id === undefined) throw usageError('CHALLENGE must be the id that `pombo otp send` printed')
  const answer = await toClient(world, values).call(method, `/v1/otp/${id}${path}`)
  const { status, message_status: sent, expires_at: end } = answer
  world.out.write(
    values.json === true ? `${JSON.stringify(answer)}\n` : `${status}, message ${sent}, expires at ${end}\n`,
  )
  return EXIT.ok
}

async function send(world: World, values: Options, to: string): Promise<number> {
  const { app, locale, ttl, attempts } = values
  const body = omitUndefined({
    ...toAddress(to),
    ttl_seconds: whole('ttl', ttl, OTP_TTL.default, OTP_TTL.maximum),
    max_attempts: whole('attempts', attempts, OTP_ATTEMPTS.default, OTP_ATTEMPTS.maximum),
    code_length: values.length === undefined ? undefined : wholeLength(values.length),
    code_alphabet: values.alphanumeric === true ? 'alphanumeric' : undefined,
    app_name: app,
    locale,
  })
  const headers = { 'idempotency-key': values.key ?? randomUUID() }
  const answer = await toClient(world, values).call('POST', '/v1/otp/generate', { body, headers })
  const id = textIn(answer, 'challenge_id')
  if (id === undefined) throw failure('the gateway accepted the request without returning a challenge')
  world.out.write(values.json === true ? `${JSON.stringify(answer)}\n` : `${id}\n`)
  return EXIT.ok
}

function wholeLength(text: string): number {
  const { minimum, maximum } = CODE_LENGTH
  const length = whole('length', text, CODE_LENGTH.default, maximum)
  if (length < minimum) throw usageError(`--length must be a whole number from ${minimum} to ${maximum}`)
  return length
}

function toAddress(to: string): Json {
  if (parsePhoneNumber(to) !== undefined) return { to }
  if (parseEmailAddress(to) !== undefined) return { to, channel: 'email' }
  throw usageError('RECIPIENT must be a phone number in E.164 format, such as +15005550100, or an email address')
}

async function check(world: World, values: Options, challenge: string, code: string): Promise<number> {
  const guess = parseOtpGuess(omitUndefined({ challenge_id: challenge, code, to: values.to }))
  if (!('id' in guess)) throw usageError(guess.some(({ path }) => path === '/to') ? BAD_TO : BAD_GUESS)
  const answer = await ask(toClient(world, values), guess)
  const status = textIn(answer, 'status') ?? 'unknown'
  const left = numberIn(answer, 'attempts_remaining') ?? 0
  const note = left > 0 ? `, ${left} ${left === 1 ? 'attempt' : 'attempts'} left` : ''
  world.out.write(values.json === true ? `${JSON.stringify(answer)}\n` : `${status}${note}\n`)
  return status === 'verified' ? EXIT.ok : EXIT.failure
}

const BAD_GUESS =
  'CHALLENGE must be the id that `pombo otp send` printed, and CODE 4 to 10 digits, or letters and digits'
const BAD_TO = '--to must be a phone number in E.164 format, or an email address'

const ask = (client: Client, { id, code, to }: OtpGuess): Promise<Json> =>
  client.call('POST', '/v1/otp/validate', { body: omitUndefined({ challenge_id: id, code, to }) })
