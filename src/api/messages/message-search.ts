/** Searching the messages of a tenant: the filters, and a page of results. */
import { type Static, Type } from 'typebox'
import { type EmailAddress, parseEmailAddress } from '../../domain/email/address.ts'
import type { TenantId } from '../../domain/ids.ts'
import { CHANNELS, LANES, type Recipient } from '../../domain/message/message.ts'
import { type PhoneNumber, parsePhoneNumber } from '../../domain/message/phone-number.ts'
import { HANDOFF_STATES, PROVIDER_STATES, STATUSES } from '../../domain/message/states.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, parseInstant } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { Filter, MessageIndex } from '../../ports/message-index.ts'
import { fromTime, PageFields, type PageQuery, pageOf, queryText, shared, untilTime } from '../http/schemas.ts'
import { BAD_TIME, refuseFields } from '../http/validation.ts'
import type { MessageRow } from './message-schemas.ts'
import { toListed } from './views.ts'

export const FilterFields = {
  channel: Type.Optional(Type.Enum(CHANNELS)),
  status: Type.Optional(Type.Enum(STATUSES)),
  handoff_state: Type.Optional(Type.Enum(HANDOFF_STATES)),
  provider_state: Type.Optional(Type.Enum(PROVIDER_STATES)),
  provider: Type.Optional(queryText('The name of a provider.', 64)),
  provider_message_id: Type.Optional(queryText("The provider's id of the message.", 998)),
  to: Type.Optional(
    queryText('The full phone number in E.164 format or the full email address of a recipient, also of copies.', 254),
  ),
  tag: Type.Optional(queryText('One of the tags.', 64)),
  metadata: Type.Optional(
    Type.String({
      description: 'A metadata field, as `key:value`. The whole value must match, in its case.',
      pattern: '^[^\\u0000]*:[^\\u0000]*$',
      maxLength: 577,
      examples: ['order:A-17'],
    }),
  ),
  lane: Type.Optional(Type.Enum(LANES)),
  created_from: fromTime('Created'),
  created_to: untilTime('Created'),
  q: Type.Optional(
    queryText('Words to find in tags, metadata, subject or error. All must match; the last may be a prefix.'),
  ),
  unknown: Type.Optional(Type.Boolean({ description: 'Whether the outcome of the latest attempt is unknown.' })),
}
const FilterQuery = Type.Object(FilterFields)
export const SearchQuery = Type.Object({ ...FilterFields, ...PageFields }, { additionalProperties: false })

export const MessagePage = pageOf(Type.Unsafe<MessageRow>(shared('Message')))

/** The keyed hash of a recipient, by which the index finds it. */
export type Blind = (tenantId: TenantId, recipient: Recipient) => string
export type SearchDeps = Readonly<{ log: EventLog; index: MessageIndex; blind: Blind }>

export function toFilter(blind: Blind, tenantId: TenantId, fields: Static<typeof FilterQuery>): Filter {
  const { channel, status, provider, tag, metadata, lane, to, created_from: from, created_to: until } = fields
  return omitUndefined({
    channel,
    status,
    handoffState: fields.handoff_state,
    providerState: fields.provider_state,
    provider,
    providerMessageId: fields.provider_message_id,
    toKey: to === undefined ? undefined : blind(tenantId, readRecipient(to)),
    tag,
    metadata,
    lane,
    createdFrom: from === undefined ? undefined : readInstant('created_from', from),
    createdTo: until === undefined ? undefined : readInstant('created_to', until),
    text: fields.q,
    unknown: fields.unknown,
  })
}

/** A page ends early when its items take so many bytes. */
export const PAGE_BYTES = 256 * 1024

export async function searchPage(
  { log, index }: SearchDeps,
  tenantId: TenantId,
  filter: Filter,
  { cursor, limit = 50 }: Static<typeof PageQuery>,
): Promise<Static<typeof MessagePage>> {
  const query = omitUndefined({ tenantId, filter, limit, cursor })
  const { rows, nextCursor, isCurrent } = await index.search({ ...query, bytes: PAGE_BYTES, soon: true })
  const latest = isCurrent === true ? [] : await Promise.all(rows.map(({ state }) => log.latest(state.id)))
  const items = rows.map((row, position) => toListed(row, latest[position]?.event.state))
  return { items, next_cursor: nextCursor ?? null }
}

/** In a query string an unescaped plus decodes to a space. */
export function readRecipient(text: string): PhoneNumber | EmailAddress {
  const address = text.replaceAll(' ', '+')
  const recipient = address.includes('@') ? parseEmailAddress(address) : parsePhoneNumber(address)
  if (recipient === undefined) throw bad('to', BAD_RECIPIENT)
  return recipient
}

const BAD_RECIPIENT = 'must be a phone number in E.164 format (with the plus as %2B in a URL) or an email address'

export function readInstant(field: string, text: string): Instant {
  const at = parseInstant(text.replace(/ (?=\d{2}:\d{2}$)/, '+'))
  if (at === undefined) throw bad(field, BAD_TIME)
  return at
}

const bad = (field: string, message: string) => refuseFields([{ path: `/${field}`, message }])
