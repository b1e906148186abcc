/** What the simulator's server and its callers say to each other over HTTP: the JSON, and its way from and to our words. */
import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { AttemptId, MessageId, TenantId } from '../../domain/ids.ts'
import { type Instant, parseInstant, toIso } from '../../domain/time.ts'
import type { Attempt, LookupResult, Receipt } from '../../ports/provider.ts'
import type { Handover } from './carrier.ts'
import type { InboxItem } from './wire.ts'

const Name = Type.String({ minLength: 1, maxLength: 400 })
const Text = Type.String()
const Count = Type.Integer({ minimum: 1 })
const Time = Type.Refine(Type.String(), (text) => parseInstant(text) !== undefined)
const Url = Type.Refine(Type.String({ maxLength: 2000 }), (text) => /^https?:/.test(text) && URL.canParse(text))

const AttemptJson = Type.Object({
  attempt_id: Name,
  message_id: Name,
  cycle: Count,
  attempt: Count,
  tenant_id: Name,
  to: Name,
  from: Type.Optional(Text),
  body: Text,
  expires_at: Type.Optional(Time),
  callback_url: Url,
})
const ReceiptJson = Type.Object({
  message_id: Name,
  cycle: Count,
  attempt: Count,
  provider_message_id: Name,
  state: Type.Enum(['accepted', 'delivered', 'dropped', 'bounced', 'complaint'] as const),
  report_id: Name,
  code: Type.Optional(Text),
  detail: Type.Optional(Text),
})
/** That an attempt is absent is said in so many words: a mere 404 may come from anybody on the way. */
const LookupJson = Type.Union([
  Type.Object({ kind: Type.Literal('found'), receipt: ReceiptJson }),
  Type.Object({ kind: Type.Enum(['absent', 'undetermined'] as const) }),
])
const ReceivedJson = Type.Object({
  to: Text,
  from: Type.Optional(Text),
  body: Text,
  attempt_id: Name,
  message_id: Name,
  received_at: Time,
})

type AttemptJson = Static<typeof AttemptJson>
type ReceiptJson = Static<typeof ReceiptJson>
type ReceivedJson = Static<typeof ReceivedJson>

/** Each answers undefined for what is something else. */
export const parseHandover = parser(AttemptJson, toHandover)
export const parseAccepted = parser(Type.Object({ provider_message_id: Name }), (json) => json.provider_message_id)
const RefusalJson = Type.Object({ code: Text, detail: Text, blame: Type.Optional(Type.Literal('recipient')) })
export const parseRefusal = parser(RefusalJson, ({ code, detail, blame }) => ({
  code,
  detail,
  ...(blame === undefined ? {} : { blame }),
}))
export const parseReceipts = parser(Type.Array(ReceiptJson), (all): readonly Receipt[] => all.map(toReceipt))
export const parseInbox = parser(Type.Object({ items: Type.Array(ReceivedJson) }), ({ items }) =>
  items.map(toInboxItem),
)
export const parseLookup = parser(
  LookupJson,
  (json): LookupResult => (json.kind === 'found' ? { kind: 'found', receipt: toReceipt(json.receipt) } : json),
)

function parser<Schema extends TSchema, Value>(schema: Schema, convert: (json: Static<Schema>) => Value) {
  const compiled = Compile(schema)
  return (json: unknown): Value | undefined => (compiled.Check(json) ? convert(json as Static<Schema>) : undefined)
}

export function toAttemptJson({ id, ref, tenantId, content, expiresAt }: Attempt, callbackUrl: string): AttemptJson {
  const { to, from, body } = content
  return {
    attempt_id: id,
    ...toRefJson(ref),
    tenant_id: tenantId,
    to,
    ...(from === undefined ? {} : { from }),
    body,
    ...(expiresAt === undefined ? {} : { expires_at: toIso(expiresAt) }),
    callback_url: callbackUrl,
  }
}

function toHandover(json: AttemptJson): Handover {
  const { attempt_id: id, tenant_id: tenantId, to, from, body, expires_at: expires, callback_url: callback } = json
  return {
    id: id as AttemptId,
    ref: toRef(json),
    tenantId: tenantId as TenantId,
    to,
    ...(from === undefined ? {} : { from }),
    body,
    ...(expires === undefined ? {} : { expiresAt: toInstant(expires) }),
    callback,
  }
}

export const toReceiptJson = ({ ref, providerMessageId, reportId, ...report }: Receipt): ReceiptJson => ({
  ...toRefJson(ref),
  provider_message_id: providerMessageId,
  report_id: reportId,
  ...report,
})

function toReceipt(json: ReceiptJson): Receipt {
  const { provider_message_id: providerMessageId, state, report_id: reportId, code, detail } = json
  return {
    ref: toRef(json),
    providerMessageId,
    state,
    reportId,
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail }),
  }
}

export const toLookupJson = (result: LookupResult): Static<typeof LookupJson> =>
  result.kind === 'found' ? { kind: 'found', receipt: toReceiptJson(result.receipt) } : { kind: result.kind }

export const toReceivedJson = ({ attemptId, messageId, receivedAt, ...item }: InboxItem): ReceivedJson => ({
  ...item,
  attempt_id: attemptId,
  message_id: messageId,
  received_at: toIso(receivedAt),
})

const toInboxItem = ({ to, from, body, ...json }: ReceivedJson): InboxItem => ({
  to,
  ...(from === undefined ? {} : { from }),
  body,
  attemptId: json.attempt_id as AttemptId,
  messageId: json.message_id as MessageId,
  receivedAt: toInstant(json.received_at),
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

/** Only for what the schema let pass. */
const toInstant = (text: string): Instant => parseInstant(text) as Instant
