/** What a send would do, without sending: for the model, and for the person who is asked to confirm it. */
import { z } from 'zod'
import { maskEmailAddress, parseEmailAddress } from '../../domain/email/address.ts'
import { maskPhoneNumber, parsePhoneNumber } from '../../domain/message/phone-number.ts'
import { type Gateway, ToolError } from '../gateway.ts'
import { quote, toVisible } from '../plain-text.ts'
import { defineTool } from '../tool.ts'
import { AnyMessageInput, inMode, Mode } from './inputs.ts'
import { orNull } from './or-null.ts'
import { LimitStanding, ProviderStanding, QuotaStanding } from './standing-views.ts'

const text = z.string()
const Findings = z.array(z.object({ path: text, message: text, code: text }))

const PreflightView = z.object({
  valid: z.boolean(),
  problems: Findings.describe('Everything that keeps the message from being accepted or sent.'),
  warnings: Findings.default([]),
  recipient: orNull(
    z.object({
      kind: text,
      country: orNull(text),
      number_type: orNull(text),
      suppressed: z.boolean(),
      recipient_id: orNull(text),
    }),
  ),
  sms: orNull(
    z.object({
      encoding: text,
      segments: z.number(),
      units: z.number(),
      characters_forcing_ucs2: z.array(text).default([]),
    }),
  ),
  email: orNull(
    z.object({
      size: z.number(),
      checks: z.array(z.object({ check: text, passed: orNull(z.boolean()), detail: orNull(text) })),
    }),
  ),
  limits: orNull(z.array(LimitStanding)),
  quotas: orNull(z.array(QuotaStanding)),
  sender: orNull(z.object({ allowed: z.boolean(), reason: orNull(text) })),
  route: orNull(z.object({ id: text, reasons: z.array(text), providers: z.array(ProviderStanding) })),
  idempotency: orNull(z.object({ status: text, message_id: orNull(text) })),
  would_send: z.object({
    accepted: z.boolean(),
    refusal: orNull(z.object({ error_code: text, detail: text })),
    at: orNull(text),
    provider: orNull(text),
    text,
  }),
})
type Preflight = z.output<typeof PreflightView>

export const preflightMessage = defineTool({
  name: 'preflight_message',
  title: 'Check a message before sending',
  description:
    'What would happen if this message were sent: all its problems, SMS segments, route and provider, limits and quotas. Sends and counts nothing.',
  scopes: ['sms:send', 'email:send'],
  effect: 'read',
  input: AnyMessageInput.extend({ mode: Mode }),
  output: PreflightView,
  run: async ({ gateway }, { mode, ...body }) =>
    (await gateway('POST', '/v1/preflight', { body, ...inMode(mode) })).body,
  summarize: ({ would_send }) => (would_send.accepted ? 'It would be accepted.' : 'It would be refused.'),
})

type Outgoing = Readonly<{
  channel: string
  to?: string | undefined
  cc?: readonly string[]
  bcc?: readonly string[]
}> &
  Readonly<{ recipient_id?: string | undefined; recipient_external_id?: string | undefined }>

/** The question for the person. Throws if the message would be refused anyway. */
export async function askToSend(gateway: Gateway, body: Outgoing): Promise<string> {
  const report = PreflightView.parse((await gateway('POST', '/v1/preflight', { body })).body)
  const { valid, problems, would_send: verdict } = report
  if (!valid || !verdict.accepted) throw new ToolError(describeProblems(problems, verdict))
  return [
    `Send this ${body.channel === 'email' ? 'email' : 'SMS'} for real?`,
    `To: ${describeRecipient(body, report.recipient)}`,
    ...(report.sms === null ? [] : [`Size: ${describeSms(report.sms)}`]),
    toVisible(verdict.text),
    ...report.warnings.map(({ path, message }) => `Warning: ${quote(path)} ${quote(message)}`),
  ].join('\n')
}

const describeSms = ({ segments, encoding }: NonNullable<Preflight['sms']>): string =>
  `${segments} ${segments === 1 ? 'segment' : 'segments'} (${encoding})`

function describeProblems(problems: Preflight['problems'], { refusal }: Preflight['would_send']): string {
  const lines = problems.map(({ path, message, code }) => `- ${quote(path)}: ${quote(message)} (${code})`)
  const reason =
    refusal === null ? [] : [`The gateway would refuse it (${refusal.error_code}): ${quote(refusal.detail)}`]
  return ['Nothing was sent.', ...reason, ...lines].join('\n')
}

function describeRecipient({ to, cc = [], bcc = [], ...names }: Outgoing, found: Preflight['recipient']): string {
  const copies = cc.length + bcc.length
  const named = names.recipient_external_id ?? names.recipient_id
  const known = to === undefined ? `the recipient ${quote(named ?? '')} of the directory` : mask(to)
  const country = found?.country ?? undefined
  return [
    known,
    ...(country === undefined ? [] : [` (${country})`]),
    ...(copies === 0 ? [] : [`, and ${copies} more as copies`]),
  ].join('')
}

/** As messages show their recipient. Whoever confirms sees the whole call in their client. */
function mask(to: string): string {
  const phone = parsePhoneNumber(to)
  const address = phone === undefined ? parseEmailAddress(to) : undefined
  if (phone !== undefined) return maskPhoneNumber(phone)
  return address === undefined ? 'an address that is not shown' : maskEmailAddress(address)
}
