/** The filters of the message list. They are kept in the URL, under the names of the API parameters. */
import {
  CalendarDays,
  CircleAlert,
  CircleHelp,
  FileText,
  Fingerprint,
  Layers,
  PackageOpen,
  Radio,
  Rows3,
  Send,
  Tag,
  TextCursorInput,
  UserRound,
  Waypoints,
} from 'lucide-react'
import type { paths } from '../../api/schema.gen.d.ts'
import { MESSAGES_TEXTS } from '../../texts/messages.ts'
import { type Filter, without } from '../../ui/filters/filter.ts'
import type { ChangeParams } from '../../ui/query-string.ts'
import { toStateText } from '../../ui/state-text.ts'

const T = MESSAGES_TEXTS

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
  'template',
  'batch',
  'error_code',
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

type Choice = keyof typeof CHOICES | 'unknown'

const choice = (
  name: Choice,
  icon: Filter['icon'],
  choices: readonly string[],
  nameOf: (choice: string) => string,
): Filter => ({ kind: 'choice', name, label: T.names[name], icon, choices, nameOf })

const nameIn =
  (names: Readonly<Record<string, string>>) =>
  (choice: string): string =>
    names[choice] ?? choice

type Text = keyof typeof T.hints

const text = (name: Text, icon: Filter['icon']): Filter => ({
  kind: 'text',
  name,
  label: T.names[name],
  icon,
  hint: T.hints[name],
  about: T.about[name],
  toValue: (typed) => toValue(name, typed),
})

/** Lists of messages share these. */
export const CHANNEL_FILTER = choice('channel', Radio, CHOICES.channel, nameIn(T.choices.channel))
export const LANE_FILTER = choice('lane', Rows3, CHOICES.lane, nameIn(T.choices.lane))
export const PROVIDER_FILTER: Filter = { kind: 'provider', name: 'provider', label: T.names.provider, icon: Waypoints }
export const RECIPIENT_FILTER = text('to', UserRound)
export const TAG_FILTER = text('tag', Tag)
export const CREATED_FILTER: Filter = {
  kind: 'times',
  from: 'created_from',
  to: 'created_to',
  label: T.created,
  icon: CalendarDays,
}

/** What the filter button offers; status and search have controls of their own. */
export const OFFERED: readonly Filter[] = [
  CHANNEL_FILTER,
  RECIPIENT_FILTER,
  CREATED_FILTER,
  PROVIDER_FILTER,
  LANE_FILTER,
  TAG_FILTER,
  text('metadata', TextCursorInput),
  choice('handoff_state', Send, CHOICES.handoff_state, toStateText),
  choice('provider_state', Layers, CHOICES.provider_state, toStateText),
  text('template', FileText),
  text('batch', PackageOpen),
  text('error_code', CircleAlert),
  text('provider_message_id', Fingerprint),
  choice('unknown', CircleHelp, ['true', 'false'], nameIn(T.choices.unknown)),
]

/** Whether a message can start or stop matching these filters after it is created. */
export const canChange = (filters: Filters): boolean => CHANGING.some((name) => filters[name] !== undefined)

const CHANGING = [
  'q',
  'status',
  'provider',
  'handoff_state',
  'provider_state',
  'provider_message_id',
  'error_code',
  'unknown',
] as const

export const activeFilters = (filters: Filters): readonly FilterName[] =>
  FILTER_NAMES.filter((name) => filters[name] !== undefined)

export const NO_FILTERS: Readonly<Record<string, undefined>> = {
  ...without(...OFFERED),
  q: undefined,
  status: undefined,
}

/** Normalizes input for the API: phone numbers are often pasted with spaces and brackets. */
export const toValue = (name: string, typed: string): string =>
  name === 'to' && !typed.includes('@') ? typed.replaceAll(/[\s().-]/g, '') : typed.trim()
