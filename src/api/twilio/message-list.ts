/**
 * Lists the messages of a tenant as Twilio does: newest first, in pages. A page may be shorter than asked for, also empty,
 * while `next_page_uri` names another: the sender is not in the index, so the filter by it applies to each page.
 */
import type { Caller } from '../../domain/access/caller.ts'
import { senderOf } from '../../domain/message/message.ts'
import { parsePhoneNumber } from '../../domain/message/phone-number.ts'
import { type Blind, type SearchDeps, search } from '../../flows/admin/search.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, later, parseInstant, seconds } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import { MalformedCursor } from '../../ports/malformed-cursor.ts'
import type { Filter, Page, Row } from '../../ports/message-index.ts'
import { PAGE_BYTES } from '../messages/message-search.ts'
import { toAccountSid } from './account-sid.ts'
import { refuseAs } from './errors.ts'
import { given } from './form.ts'
import { type MessageView, type Shown, toMessagesPath, toMessageView } from './message-view.ts'

export type ListDeps = SearchDeps & Readonly<{ log: EventLog; blind: Blind }>

type MessageList = Readonly<{
  messages: readonly MessageView[]
  page: number
  page_size: number
  start: number
  end: number
  uri: string
  first_page_uri: string
  next_page_uri: string | null
  previous_page_uri: null
}>

const PAGE_SIZE = 50
/** Twilio has 1000. A larger page gets as many. */
const LARGEST_PAGE = 200
/** What a page is asked for by, besides its place. */
const FILTERS = ['To', 'From', 'DateSent', 'DateSent<', 'DateSent>']

export async function listMessages(deps: ListDeps, caller: Caller, query: URLSearchParams): Promise<MessageList> {
  const { tenantId, accountId } = caller
  const limit = Math.max(1, Math.min(readNumber(query, 'PageSize', PAGE_SIZE), LARGEST_PAGE))
  const page = readNumber(query, 'Page', 0)
  const filter = toFilter(deps, caller, query)
  const place = omitUndefined({ limit, cursor: given(query, 'PageToken') })
  const asked = { tenantId, accountId, filter, bytes: PAGE_BYTES, soon: true, ...place } as const
  const { rows, nextCursor } = await search(deps, asked).catch(refuseCursor)
  const shown = await Promise.all(rows.map((row) => load(deps, row)))
  const messages = shown.filter(isFrom(given(query, 'From'))).map((message) => toMessageView(message))
  const uriOf = (nth: number, token?: string): string => toUri(caller, query, { size: limit, nth, token })
  return {
    messages,
    page,
    page_size: limit,
    start: page * limit,
    end: page * limit + Math.max(messages.length - 1, 0),
    uri: uriOf(page, given(query, 'PageToken')),
    first_page_uri: uriOf(0),
    next_page_uri: nextCursor === undefined ? null : uriOf(page + 1, nextCursor),
    previous_page_uri: null,
  }
}

function refuseCursor(error: unknown): Promise<Page> {
  throw error instanceof MalformedCursor ? refuseAs(20422, 'The PageToken is not that of a next_page_uri') : error
}

/** The latest state; the index has those that the log has dropped by age. */
async function load({ log }: ListDeps, { state, searchable }: Row): Promise<Shown> {
  const loaded = await log.load(state.id)
  if (loaded === undefined) return { state, content: undefined, searchable }
  return { state: loaded.event.state, content: loaded.content, searchable: loaded.searchable ?? searchable }
}

const isFrom =
  (from: string | undefined) =>
  ({ content }: Shown): boolean =>
    from === undefined || (content !== undefined && senderOf(content) === toNumber(from))

/** In a query string an unescaped plus decodes to a space. */
const toNumber = (text: string): string => text.replace(/^ (?=\d)/, '+')

function toFilter({ blind }: ListDeps, { tenantId }: Caller, query: URLSearchParams): Filter {
  const to = given(query, 'To')
  const number = to === undefined ? undefined : parsePhoneNumber(toNumber(to))
  if (to !== undefined && number === undefined) throw refuseAs(21211, "The 'To' number is not in E.164 format.")
  return omitUndefined({ channel: 'sms', toKey: number && blind(tenantId, number), ...toPeriod(query) } as const)
}

const DAY = seconds(86_400)

/** `DateSent` is a day in UTC, or a time in it; `DateSent>` and `DateSent<` include the day that they name. */
function toPeriod(query: URLSearchParams): Pick<Filter, 'createdFrom' | 'createdTo'> {
  const on = readTime(query, 'DateSent')
  const [from, until] = [readTime(query, 'DateSent>'), readTime(query, 'DateSent<')]
  if (on !== undefined) return { createdFrom: on.day, createdTo: later(on.day, DAY) }
  return omitUndefined({ createdFrom: from?.at, createdTo: until && (until.isDay ? later(until.day, DAY) : until.at) })
}

type Time = Readonly<{ at: Instant; day: Instant; isDay: boolean }>

function readTime(query: URLSearchParams, name: string): Time | undefined {
  const text = given(query, name)
  if (text === undefined) return undefined
  const day = parseInstant(`${text.slice(0, 10)}T00:00:00Z`)
  const at = text.length === 10 ? day : parseInstant(text)
  if (day !== undefined && at !== undefined) return { at, day, isDay: text.length === 10 }
  throw refuseAs(20422, `${name} must be a date such as 2030-01-31, or a time such as 2030-01-31T12:00:00Z`)
}

function readNumber(query: URLSearchParams, name: string, otherwise: number): number {
  const text = given(query, name)
  if (text === undefined) return otherwise
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw refuseAs(20422, `${name} must be a whole number`)
}

type Place = Readonly<{ size: number; nth: number; token: string | undefined }>

function toUri(caller: Caller, query: URLSearchParams, { size, nth, token }: Place): string {
  const params = new URLSearchParams()
  for (const name of FILTERS) {
    const value = given(query, name)
    if (value !== undefined) params.set(name, value)
  }
  params.set('PageSize', String(size))
  params.set('Page', String(nth))
  if (token !== undefined) params.set('PageToken', token)
  return `${toMessagesPath(toAccountSid(caller))}.json?${params}`
}
