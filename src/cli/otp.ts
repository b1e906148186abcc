/** `pombo otp`: sends a one-time code, or checks one. The code itself is never shown. */
import { randomUUID } from 'node:crypto'
import { parseEmailAddress } from '../domain/email/address.ts'
import { parsePhoneNumber } from '../domain/message/phone-number.ts'
import { OTP_ATTEMPTS, OTP_TTL, parseOtpGuess } from '../domain/requests/otp-request.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Client, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, type Values, whole } from './command.ts'
import { EXIT, failure, usageError } from './exit.ts'
import { type Json, numberIn, textIn } from './json.ts'
import type { World } from './world.ts'

const OPTIONS = {
  ttl: { value: 'SECONDS', about: `how long the code is valid, 30 to 3600 (${OTP_TTL.default})` },
  attempts: { value: 'NUMBER', about: `how many checks are allowed, up to 10 (${OTP_ATTEMPTS.default})` },
  app: { value: 'NAME', about: 'the name of the app in the text' },
  locale: { value: 'TAG', about: 'the language of the text, such as pt-BR' },
  key: { value: 'KEY', about: 'idempotency key: the same key never sends twice' },
  ...JSON_OPTION,
  ...GATEWAY_OPTIONS,
} as const

const USAGE = 'usage: pombo otp send RECIPIENT, or pombo otp check CHALLENGE CODE'

export const otp = defineCommand({
  name: 'otp',
  summary: 'Send a one-time code to a number or an email address, or check one.',
  words: { usage: 'send RECIPIENT | check CHALLENGE CODE', least: 2, most: 3 },
  options: OPTIONS,
  async run(world, values, [verb, subject = '', code]) {
    if (verb === 'send' && code === undefined) return await send(world, values, subject)
    if (verb === 'check' && code !== undefined) return await check(world, values, subject, code)
    throw usageError(USAGE)
  },
})

type Options = Values<typeof OPTIONS>

async function send(world: World, values: Options, to: string): Promise<number> {
  const { app, locale, ttl, attempts } = values
  const body = omitUndefined({
    ...toAddress(to),
    ttl_seconds: whole('ttl', ttl, OTP_TTL.default, OTP_TTL.maximum),
    max_attempts: whole('attempts', attempts, OTP_ATTEMPTS.default, OTP_ATTEMPTS.maximum),
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

function toAddress(to: string): Json {
  if (parsePhoneNumber(to) !== undefined) return { to }
  if (parseEmailAddress(to) !== undefined) return { to, channel: 'email' }
  throw usageError('RECIPIENT must be a phone number in E.164 format, such as +15005550100, or an email address')
}

async function check(world: World, values: Options, challenge: string, code: string): Promise<number> {
  const guess = parseOtpGuess({ challenge_id: challenge, code })
  if (!('id' in guess)) throw usageError('CHALLENGE must be the id that `pombo otp send` printed, and CODE six digits')
  const answer = await ask(toClient(world, values), guess)
  const status = textIn(answer, 'status') ?? 'unknown'
  const left = numberIn(answer, 'attempts_remaining') ?? 0
  const note = left > 0 ? `, ${left} ${left === 1 ? 'attempt' : 'attempts'} left` : ''
  world.out.write(values.json === true ? `${JSON.stringify(answer)}\n` : `${status}${note}\n`)
  return status === 'verified' ? EXIT.ok : EXIT.failure
}

const ask = (client: Client, { id, code }: Readonly<{ id: string; code: string }>): Promise<Json> =>
  client.call('POST', '/v1/otp/validate', { body: { challenge_id: id, code } })
