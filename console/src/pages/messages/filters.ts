/** What the list can be narrowed down by. All of it stands in the address, under the names that the API has. */
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

/** Whoever wrote the address may have written anything; the gateway says what is wrong with it. */
export const toQuery = (filters: Filters): MessageQuery => filters as Omit<Filters, string> as MessageQuery

export const CHOICES = {
  status: ['queued', 'sending', 'sent', 'delivered', 'failed', 'expired'],
  channel: ['sms', 'email'],
  lane: ['otp', 'transactional', 'bulk'],
  handoff_state: ['queued', 'sending', 'handed_off', 'failed'],
  provider_state: ['unknown', 'accepted', 'delivered', 'dropped', 'bounced', 'complaint', 'timed_out'],
} as const satisfies { [Name in FilterName & keyof MessageQuery]?: readonly MessageQuery[Name][] }

/** Whether a message may come in or drop out while it is on its way, not only when it is made. */
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

/** What was typed, as the gateway wants it: a number is often copied with spaces and brackets in it. */
export const toValue = (name: FilterName, typed: string): string =>
  name === 'to' && !typed.includes('@') ? typed.replaceAll(/[\s().-]/g, '') : typed.trim()

/** A value as people read it. */
export function toWords(name: FilterName, value: string): string {
  if (name === 'created_from' || name === 'created_to') return isTime(value) ? toFull(value) : value
  if (name === 'unknown') return value === 'true' ? T.yes : T.no
  return name in CHOICES ? toChoice(value) : value
}

export const toChoice = (value: string): string => value.replaceAll('_', ' ')

const isTime = (value: string): boolean => !Number.isNaN(Date.parse(value))
