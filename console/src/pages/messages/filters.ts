/** The filters of the message list. They are kept in the URL, under the names of the API parameters. */
import type { paths } from '../../api/schema.gen.d.ts'
import { TEXTS } from '../../texts.ts'
import type { ChangeParams } from '../../ui/query-string.ts'
import { toFull } from '../../ui/time.tsx'

const T = TEXTS.messages

export const FILTER_NAMES = [
  'q',
  'status',
  'channel',
  'provider',
  'lane',
  'to',
  'tag',
  'metadata',
  'handoff_state',
  'provider_state',
  'provider_message_id',
  'created_from',
  'created_to',
  'unknown',
] as const

export type FilterName = (typeof FILTER_NAMES)[number]
export type Filters = Readonly<Partial<Record<FilterName, string>>>
export type ChangeFilters = ChangeParams<FilterName>

export type MessageQuery = NonNullable<paths['/v1/messages']['get']['parameters']['query']>

/** The URL may contain invalid values; the API rejects them with an explanation. */
export const toQuery = (filters: Filters): MessageQuery => filters as Omit<Filters, string> as MessageQuery

export const CHOICES = {
  status: ['queued', 'sending', 'sent', 'delivered', 'failed', 'expired'],
  channel: ['sms', 'email'],
  lane: ['otp', 'transactional', 'bulk'],
  handoff_state: ['queued', 'sending', 'handed_off', 'failed'],
  provider_state: ['unknown', 'accepted', 'delivered', 'dropped', 'bounced', 'complaint', 'timed_out'],
} as const satisfies { [Name in FilterName & keyof MessageQuery]?: readonly MessageQuery[Name][] }

/** Whether a message can start or stop matching these filters after it is created. */
export const canChange = (filters: Filters): boolean => CHANGING.some((name) => filters[name] !== undefined)

const CHANGING = [
  'q',
  'status',
  'provider',
  'handoff_state',
  'provider_state',
  'provider_message_id',
  'unknown',
] as const

export const activeFilters = (filters: Filters): readonly FilterName[] =>
  FILTER_NAMES.filter((name) => filters[name] !== undefined)

/** Normalizes input for the API: phone numbers are often pasted with spaces and brackets. */
export const toValue = (name: FilterName, typed: string): string =>
  name === 'to' && !typed.includes('@') ? typed.replaceAll(/[\s().-]/g, '') : typed.trim()

export function toValueText(name: FilterName, value: string): string {
  if (name === 'created_from' || name === 'created_to') return isTime(value) ? toFull(value) : value
  if (name === 'unknown') return value === 'true' ? T.yes : T.no
  return name in CHOICES ? toChoice(value) : value
}

export const toChoice = (value: string): string => value.replaceAll('_', ' ')

const isTime = (value: string): boolean => !Number.isNaN(Date.parse(value))
