/** Searching the messages of a tenant: the filters, and a page of results. */
import { type Static, Type } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { type EmailAddress, parseEmailAddress } from '../../domain/email/address.ts'
import { parseBatchId, type TenantId } from '../../domain/ids.ts'
import { type PhoneNumber, parsePhoneNumber } from '../../domain/message/phone-number.ts'
import { INTERPRETATIONS } from '../../domain/requests/search-text.ts'
import { type Blind, type SearchDeps as FlowDeps, type Found, search, type Tried } from '../../flows/admin/search.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, parseInstant } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { Filter, MessageIndex, Total } from '../../ports/message-index.ts'
import { Enums } from '../http/enums.ts'
import {
  fromTime,
  namedObject,
  nullable,
  PageFields,
  type PageQuery,
  pageOf,
  queryText,
  untilTime,
} from '../http/schemas.ts'
import { BAD_TIME, refuseFields } from '../http/validation.ts'
import { BatchIdText, MessageRow } from './message-schemas.ts'
import { toListed } from './views.ts'

export const FilterFields = {
  channel: Type.Optional(Enums.Channel()),
  status: Type.Optional(Enums.MessageStatus()),
  handoff_state: Type.Optional(Enums.HandoffState()),
  provider_state: Type.Optional(Enums.ProviderState()),
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
  template: Type.Optional(queryText('The name of a template.', 64)),
  batch: Type.Optional(BatchIdText),
  error_code: Type.Optional(queryText('The code of the latest error.')),
  lane: Type.Optional(Enums.Lane()),
  created_from: fromTime('Created'),
  created_to: untilTime('Created'),
  q: Type.Optional(
    queryText(
      'What to look for: a message id or 8 of its first digits or more, a full phone number or email address, an ' +
        "idempotency key of your account, a provider's id, the name of a batch or template, an error code, a tag, a " +
        'metadata field as `key:value`, or words in tags, metadata, subject or error, of which all must match and the ' +
        'last may be a prefix. The first of these that finds messages is the result, and `search` says which it was. ' +
        'Operators can be combined with each other, with metadata fields and with words: `id:`, `to:`, `batch:`, ' +
        '`template:`, `error:`, `provider:`, `provider_message_id:`, `idempotency_key:`, `tag:`, `status:`, ' +
        '`channel:`, `lane:`. Quote values with spaces: `order:"A 17"`.',
      998,
    ),
  ),
  unknown: Type.Optional(Type.Boolean({ description: 'Whether the outcome of the latest attempt is unknown.' })),
}
const FilterQuery = Type.Object(FilterFields)
const TotalField = {
  total: Type.Optional(
    Type.Boolean({ description: 'Whether to count all messages that match, on this page and all others.' }),
  ),
}
export const SearchQuery = Type.Object(
  { ...FilterFields, ...PageFields, ...TotalField },
  { additionalProperties: false },
)

const KIND = Type.Enum(INTERPRETATIONS, { title: 'SearchKind' })
const SearchReport = namedObject(
  'SearchReport',
  {
    found_by: nullable(KIND),
    tried: Type.Array(KIND, { description: 'In this order, up to the one that found messages.' }),
  },
  {
    description: 'How `q` was understood. `found_by` is null if nothing was found. `filters` are operators.',
    examples: [{ found_by: 'recipient', tried: ['recipient'] }],
  },
)
const TotalQuery = Type.Object(TotalField)
const TotalView = namedObject(
  'Total',
  {
    value: Type.Integer({ examples: [1234] }),
    relation: Type.Enum(['eq', 'gte'], { title: 'TotalRelation' }),
  },
  {
    description:
      'How many messages match: exactly so many (`eq`), or at least so many (`gte`), where counting on would take long.',
  },
)
export const MessagePage = namedObject('MessagePage', {
  ...pageOf(MessageRow).properties,
  search: nullable(SearchReport),
  total: nullable(TotalView),
})

export type SearchDeps = FlowDeps & Readonly<{ log: EventLog; index: MessageIndex }>

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
    template: fields.template,
    batchId: fields.batch === undefined ? undefined : parseBatchId(fields.batch),
    errorCode: fields.error_code,
    lane,
    createdFrom: from === undefined ? undefined : readInstant('created_from', from),
    createdTo: until === undefined ? undefined : readInstant('created_to', until),
    unknown: fields.unknown,
  })
}

/** A page ends early when its items take so many bytes. */
export const PAGE_BYTES = 256 * 1024

export async function searchPage(
  deps: SearchDeps,
  { tenantId, accountId }: Caller,
  filter: Filter,
  { cursor, limit = 50, q: text, total: isCounted = false }: SearchAsked,
): Promise<Static<typeof MessagePage>> {
  const { log } = deps
  const query = omitUndefined({ tenantId, accountId, filter, text, limit, cursor })
  const found = await search(deps, { ...query, bytes: PAGE_BYTES, soon: true })
  const { rows, nextCursor, isCurrent, search: tried } = found
  const total = isCounted ? await countAll(deps.index, { tenantId, isFirst: cursor === undefined }, found) : null
  const latest = isCurrent === true ? [] : await Promise.all(rows.map(({ state }) => log.latest(state.id)))
  const items = rows.map((row, position) => toListed(row, latest[position]?.event.state))
  return { items, next_cursor: nextCursor ?? null, search: tried === undefined ? null : toReport(tried), total }
}

type SearchAsked = Static<typeof PageQuery> & Static<typeof TotalQuery> & Pick<Static<typeof FilterQuery>, 'q'>
type Asked = Readonly<{ tenantId: TenantId; isFirst: boolean }>

/** A first page that is also the last one has them all. */
async function countAll(
  index: MessageIndex,
  { tenantId, isFirst }: Asked,
  { rows, nextCursor, filter }: Found,
): Promise<Total> {
  if (filter === undefined || (isFirst && nextCursor === undefined)) return { value: rows.length, relation: 'eq' }
  return index.total({ tenantId, filter })
}

const toReport = ({ foundBy, tried }: Tried): Static<typeof SearchReport> => ({
  found_by: foundBy ?? null,
  tried: [...tried],
})

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
