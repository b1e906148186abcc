/** The JSON between the simulator's server and its callers. */
import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { AttemptId, MessageId, TenantId } from '../../domain/ids.ts'
import { CHANNELS } from '../../domain/message/message.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, parseInstant, toIso } from '../../lib/time.ts'
import type { LookupResult, Receipt } from '../../ports/provider.ts'
import type { Handover } from './handover.ts'
import type { ReceivedMail } from './mail.ts'
import { MailboxJson, MailContentJson, toMailContent, toMailContentJson } from './mail-json.ts'
import type { InboxItem } from './wire.ts'

const Name = Type.String({ minLength: 1, maxLength: 400 })
const Text = Type.String()
const Count = Type.Integer({ minimum: 1 })
const Time = Type.Refine(Type.String(), (text) => parseInstant(text) !== undefined)
const Url = Type.Refine(Type.String({ maxLength: 2000 }), (text) => /^https?:/.test(text) && URL.canParse(text))

const CommonJson = {
  attempt_id: Name,
  message_id: Name,
  cycle: Count,
  attempt: Count,
  tenant_id: Name,
  to: Name,
  expires_at: Type.Optional(Time),
  callback_url: Url,
}
const SmsJson = Type.Object({
  ...CommonJson,
  channel: Type.Optional(Type.Literal('sms')),
  from: Type.Optional(Text),
  body: Text,
})
const MailJson = Type.Object({ ...CommonJson, channel: Type.Literal('email'), letter: MailContentJson })
const AttemptJson = Type.Union([SmsJson, MailJson])
const ReceiptJson = Type.Object({
  message_id: Name,
  cycle: Count,
  attempt: Count,
  provider_message_id: Name,
  state: Type.Enum(['accepted', 'delivered', 'dropped', 'bounced', 'complaint'] as const),
  report_id: Name,
  code: Type.Optional(Text),
  detail: Type.Optional(Text),
  suppresses: Type.Optional(Type.Enum(['hard_bounce', 'complaint'] as const)),
})
/** Absence is explicit, because a 404 may come from a proxy. */
const LookupJson = Type.Union([
  Type.Object({ kind: Type.Literal('found'), receipt: ReceiptJson }),
  Type.Object({ kind: Type.Enum(['absent', 'undetermined'] as const) }),
])
const ReceivedJson = Type.Object({
  channel: Type.Optional(Type.Enum(CHANNELS)),
  to: Text,
  from: Type.Optional(Text),
  subject: Type.Optional(Text),
  body: Text,
  attempt_id: Name,
  message_id: Name,
  received_at: Time,
})
/** `raw` is in base64. */
const ReceivedMailJson = Type.Object({
  to: Text,
  from: MailboxJson,
  message_id: Name,
  received_at: Time,
  letter: MailContentJson,
  raw: Text,
})
const MailAnswerJson = Type.Object({ mail: Type.Union([ReceivedMailJson, Type.Null()]) })

type AttemptJson = Static<typeof AttemptJson>
type ReceiptJson = Static<typeof ReceiptJson>
type ReceivedJson = Static<typeof ReceivedJson>
type ReceivedMailJson = Static<typeof ReceivedMailJson>

/** Each parser returns undefined for anything else. */
export const parseHandover = parser(AttemptJson, toHandover)
export const parseAccepted = parser(Type.Object({ provider_message_id: Name }), (json) => json.provider_message_id)
const RefusalJson = Type.Object({
  code: Text,
  detail: Text,
  blame: Type.Optional(Type.Enum(['recipient', 'account'] as const)),
})
export const parseRefusal = parser(RefusalJson, ({ code, detail, blame }) => omitUndefined({ code, detail, blame }))
export const parseReceipts = parser(Type.Array(ReceiptJson), (all): readonly Receipt[] => all.map(toReceipt))
export const parseInbox = parser(Type.Object({ items: Type.Array(ReceivedJson) }), ({ items }) =>
  items.map(toInboxItem),
)
export const parseMail = parser(MailAnswerJson, ({ mail }) => (mail === null ? 'absent' : toReceivedMail(mail)))
export const parseLookup = parser(
  LookupJson,
  (json): LookupResult => (json.kind === 'found' ? { kind: 'found', receipt: toReceipt(json.receipt) } : json),
)

function parser<Schema extends TSchema, Value>(schema: Schema, convert: (json: Static<Schema>) => Value) {
  const compiled = Compile(schema)
  return (json: unknown): Value | undefined => (compiled.Check(json) ? convert(json as Static<Schema>) : undefined)
}

export function toAttemptJson(handover: Handover): AttemptJson {
  const { id, ref, tenantId, to, expiresAt, callback } = handover
  const common = omitUndefined({
    attempt_id: id,
    ...toRefJson(ref),
    tenant_id: tenantId,
    to,
    expires_at: expiresAt === undefined ? undefined : toIso(expiresAt),
    callback_url: callback,
  })
  const { channel } = handover
  if (channel === 'email') return { ...common, channel, letter: toMailContentJson(handover.mail) }
  const { from, body } = handover
  return { ...common, ...omitUndefined({ channel, from, body }) }
}

function toHandover(json: AttemptJson): Handover {
  const { attempt_id: id, tenant_id: tenantId, to, expires_at: expires, callback_url: callback } = json
  const common = omitUndefined({
    id: id as AttemptId,
    ref: toRef(json),
    tenantId: tenantId as TenantId,
    to,
    expiresAt: expires === undefined ? undefined : toInstant(expires),
    callback,
  })
  if (json.channel === 'email') return { ...common, channel: 'email', mail: toMailContent(json.letter) }
  return { ...common, ...omitUndefined({ channel: 'sms' as const, body: json.body, from: json.from }) }
}

export function toReceiptJson({ ref, providerMessageId, reportId, state, ...report }: Receipt): ReceiptJson {
  if (state === 'refused') throw new Error('the simulator has no report "refused"')
  return {
    ...toRefJson(ref),
    provider_message_id: providerMessageId,
    report_id: reportId,
    state,
    ...report,
  }
}

function toReceipt(json: ReceiptJson): Receipt {
  const { provider_message_id: providerMessageId, state, report_id: reportId, code, detail, suppresses } = json
  return omitUndefined({ ref: toRef(json), providerMessageId, state, reportId, code, detail, suppresses })
}

export const toLookupJson = (result: LookupResult): Static<typeof LookupJson> =>
  result.kind === 'found' ? { kind: 'found', receipt: toReceiptJson(result.receipt) } : { kind: result.kind }

export const toReceivedJson = ({ attemptId, messageId, receivedAt, ...item }: InboxItem): ReceivedJson => ({
  ...item,
  attempt_id: attemptId,
  message_id: messageId,
  received_at: toIso(receivedAt),
})

const toInboxItem = ({ channel = 'sms', to, from, subject, body, ...json }: ReceivedJson): InboxItem =>
  omitUndefined({
    channel,
    to,
    from,
    subject,
    body,
    attemptId: json.attempt_id as AttemptId,
    messageId: json.message_id as MessageId,
    receivedAt: toInstant(json.received_at),
  })

export function toMailJson(received: ReceivedMail | undefined): Static<typeof MailAnswerJson> {
  if (received === undefined) return { mail: null }
  const { to, from, messageId, receivedAt, letter, raw } = received
  const common = { to, from, message_id: messageId, received_at: toIso(receivedAt) }
  return { mail: { ...common, letter: toMailContentJson(letter), raw: Buffer.from(raw).toString('base64') } }
}

const toReceivedMail = ({ to, from, letter, raw, ...json }: ReceivedMailJson): ReceivedMail => ({
  to,
  from,
  messageId: json.message_id as MessageId,
  receivedAt: toInstant(json.received_at),
  letter: toMailContent(letter),
  raw: Buffer.from(raw, 'base64'),
})

type RefJson = Pick<AttemptJson, 'message_id' | 'cycle' | 'attempt'>

const toRefJson = ({ messageId, cycle, attempt }: Receipt['ref']): RefJson => ({
  message_id: messageId,
  cycle,
  attempt,
})
const toRef = ({ message_id: messageId, cycle, attempt }: RefJson): Receipt['ref'] => ({
  messageId: messageId as MessageId,
  cycle,
  attempt,
})

/** The schema has checked the text. */
const toInstant = (text: string): Instant => parseInstant(text) as Instant
