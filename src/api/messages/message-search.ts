/** Searching one's messages: the filters callers may set, and a page of what the index finds. */
import { type Static, Type } from 'typebox'
import { type EmailAddress, parseEmailAddress } from '../../domain/email/address.ts'
import type { TenantId } from '../../domain/ids.ts'
import { CHANNELS, LANES, type Recipient } from '../../domain/message/message.ts'
import { type PhoneNumber, parsePhoneNumber } from '../../domain/message/phone-number.ts'
import { HANDOFF_STATES, PROVIDER_STATES, STATUSES } from '../../domain/message/states.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, parseInstant } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { Filter, MessageIndex, Query } from '../../ports/message-index.ts'
import { type MessageRow, nullable, queryText, shared } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { toListed } from './views.ts'

export const FilterFields = {
  channel: Type.Optional(Type.Enum(CHANNELS)),
  status: Type.Optional(Type.Enum(STATUSES)),
  handoff_state: Type.Optional(Type.Enum(HANDOFF_STATES)),
  provider_state: Type.Optional(Type.Enum(PROVIDER_STATES)),
  provider: Type.Optional(queryText('The name of a provider.', 64)),
  provider_message_id: Type.Optional(queryText('What the provider calls the message.', 998)),
  to: Type.Optional(
    queryText('The whole number of a recipient, in E.164, or the whole email address. Finds copies of mails too.', 254),
  ),
  tag: Type.Optional(queryText('One of the tags.', 64)),
  lane: Type.Optional(Type.Enum(LANES)),
  created_from: Type.Optional(queryText('RFC 3339, inclusive.', 40)),
  created_to: Type.Optional(queryText('RFC 3339, exclusive.', 40)),
  q: Type.Optional(queryText('Words that all occur in tags, metadata, subject or error; the last may be a beginning.')),
  unknown: Type.Optional(Type.Boolean({ description: 'Whether the outcome of the newest attempt is unknown.' })),
}
const FilterQuery = Type.Object(FilterFields)

export const PageFields = {
  cursor: Type.Optional(queryText('The `next_cursor` of the page before.')),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: '50 unless said otherwise.' }),
  ),
}
const PageQuery = Type.Object(PageFields)

export const MessagePage = Type.Object({
  items: Type.Array(Type.Unsafe<MessageRow>(shared('Message'))),
  next_cursor: nullable(Type.String({ description: 'Null on the last page.' })),
})

export type Blind = (tenantId: TenantId, recipient: Recipient) => string
export type SearchDeps = Readonly<{ log: EventLog; index: MessageIndex; blind: Blind }>

export function toFilter(blind: Blind, tenantId: TenantId, fields: Static<typeof FilterQuery>): Filter {
  const { channel, status, provider, tag, lane, to, created_from: from, created_to: until } = fields
  return omitUndefined({
    channel,
    status,
    handoffState: fields.handoff_state,
    providerState: fields.provider_state,
    provider,
    providerMessageId: fields.provider_message_id,
    toKey: to === undefined ? undefined : blind(tenantId, readRecipient(to)),
    tag,
    lane,
    createdFrom: from === undefined ? undefined : readInstant('created_from', from),
    createdTo: until === undefined ? undefined : readInstant('created_to', until),
    text: fields.q,
    unknown: fields.unknown,
  })
}

export async function searchPage(
  { log, index }: SearchDeps,
  tenantId: TenantId,
  filter: Filter,
  { cursor, limit = 50 }: Static<typeof PageQuery>,
): Promise<Static<typeof MessagePage>> {
  const query: Query = { tenantId, filter, limit, ...(cursor === undefined ? {} : { cursor }) }
  const { rows, nextCursor } = await index.search(query)
  const latest = await Promise.all(rows.map(({ state }) => log.latest(state.id)))
  const items = rows.map((row, place) => toListed(row, latest[place]?.event.state))
  return { items, next_cursor: nextCursor ?? null }
}

/** In a query an unescaped plus reads as a space. */
export function readRecipient(text: string): PhoneNumber | EmailAddress {
  const said = text.replaceAll(' ', '+')
  const recipient = said.includes('@') ? parseEmailAddress(said) : parsePhoneNumber(said)
  if (recipient === undefined) throw bad('to', NEITHER)
  return recipient
}

const NEITHER = 'must be a phone number in E.164 or an email address, with its plus written as %2B in a URL'

export function readInstant(field: string, text: string): Instant {
  const at = parseInstant(text.replace(/ (?=\d{2}:\d{2}$)/, '+'))
  if (at === undefined) throw bad(field, 'must be an RFC 3339 date and time, such as 2030-01-31T12:00:00Z')
  return at
}

const bad = (field: string, message: string) => refuseFields([{ path: `/${field}`, message }])
