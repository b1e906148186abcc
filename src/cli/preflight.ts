/** `pombo preflight`: what would become of a message if it were sent now. Sends nothing; exits with 1 if it is not valid. */
import { toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, needed, type Values } from './command.ts'
import { EXIT, usageError } from './exit.ts'
import { type Json, listIn, numberIn, textIn, toJson } from './json.ts'
import { OUTGOING_OPTIONS, toOutgoing } from './outgoing.ts'
import { paint, toPlain, toTable } from './render.ts'
import type { Output, World } from './world.ts'

const OPTIONS = {
  ...OUTGOING_OPTIONS,
  otp: { about: 'a one-time code to --to instead of a text' },
  key: { value: 'KEY', about: 'idempotency key: shows whether it was used' },
  ...JSON_OPTION,
  ...GATEWAY_OPTIONS,
} as const

export const preflight = defineCommand({
  name: 'preflight',
  summary: 'Check an SMS, an email or a one-time code before it is sent.',
  options: OPTIONS,
  async run(world, values) {
    const item = await toItem(world, values)
    const body = values.key === undefined ? item : { ...item, idempotency_key: values.key }
    const report = await toClient(world, values).call('POST', '/v1/preflight', { body })
    world.out.write(values.json === true ? `${JSON.stringify(report)}\n` : draw(world.out, report))
    return report['valid'] === true ? EXIT.ok : EXIT.failure
  },
})

/** The options that say what a code says itself. */
const TEXTS = ['from', 'message', 'flash', 'subject', 'html', 'text'] as const

async function toItem(world: World, values: Values<typeof OPTIONS>): Promise<Json> {
  if (values.otp !== true) {
    const { resource, body } = await toOutgoing(world, values)
    return resource === '/v1/email' ? { channel: 'email', ...body } : body
  }
  const other = TEXTS.find((name) => values[name] !== undefined)
  if (other !== undefined) throw usageError(`--${other} does not apply to a one-time code`)
  const to = needed('to', values.to)
  const isEmail = values.email === true || to.includes('@')
  return { kind: 'otp', to, ...(isEmail && { channel: 'email' }) }
}

function draw(out: Output, report: Json): string {
  const isValid = report['valid'] === true
  const verdict = toPlain(textIn(toJson(report['would_send']), 'text') ?? '')
  const head = `${paint(out, isValid ? 'green' : 'red', isValid ? 'valid' : 'not valid')}  ${verdict}\n`
  const rows = [
    ...listIn(report, 'problems').map((one) => [paint(out, 'red', 'problem'), toFinding(one)]),
    ...listIn(report, 'warnings').map((one) => [paint(out, 'yellow', 'warning'), toFinding(one)]),
    ...row('recipient', toRecipient(toJson(report['recipient']))),
    ...row('sms', toSms(toJson(report['sms']))),
    ...row('email', toEmail(toJson(report['email']))),
    ...listIn(report, 'limits').map((limit) => ['limit', toLimit(limit)]),
    ...toRoute(toJson(report['route'])),
    ...row('key', textOf(toJson(report['idempotency']), 'status')),
  ]
  return head + toTable(rows)
}

const textOf = (json: Json, key: string): string => toPlain(textIn(json, key) ?? '')
const row = (name: string, text: string): readonly (readonly string[])[] => (text === '' ? [] : [[name, text]])

function toFinding(finding: Json): string {
  const path = textOf(finding, 'path')
  return `${path === '' ? '' : `${path} `}${textOf(finding, 'message')} (${textOf(finding, 'code')})`
}

/** `phone, BR, mobile` */
function toRecipient(recipient: Json): string {
  const suppressed = recipient['suppressed'] === true ? ['suppressed'] : []
  const known = ['kind', 'country', 'number_type'].map((key) => textOf(recipient, key).replaceAll('_', ' '))
  return [...known, ...suppressed].filter((text) => text !== '').join(', ')
}

function toSms(sms: Json): string {
  const segments = numberIn(sms, 'segments')
  if (segments === undefined) return ''
  const { characters_forcing_ucs2: forcing } = sms
  const because = Array.isArray(forcing) && forcing.length > 0 ? `, because of ${toPlain(forcing.join(' '))}` : ''
  return `${segments} segment${segments === 1 ? '' : 's'}, ${textOf(sms, 'encoding')}${because}`
}

function toEmail(email: Json): string {
  const size = numberIn(email, 'size')
  return size === undefined ? '' : `${size} bytes`
}

/** `recipient +*******4321: 1 of 3 in 60 s` */
function toLimit(limit: Json): string {
  const key = textOf(limit, 'key')
  const used = `${numberIn(limit, 'used') ?? '?'} of ${numberIn(limit, 'limit') ?? '?'}`
  return `${textOf(limit, 'scope')}${key === '' ? '' : ` ${key}`}: ${used} in ${numberIn(limit, 'window_seconds') ?? '?'} s`
}

function toRoute(route: Json): readonly (readonly string[])[] {
  const id = textOf(route, 'id')
  if (id === '') return []
  const [reason] = Array.isArray(route['reasons']) ? route['reasons'] : []
  const providers = listIn(route, 'providers').map((one) => [
    'provider',
    `${textOf(one, 'name')}: ${textOf(one, 'reason')}`,
  ])
  return [['route', typeof reason === 'string' ? `${id}: ${toPlain(reason)}` : id], ...providers]
}
