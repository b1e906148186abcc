/** Lists and counts dead letters, and maps the filters in the URL to the API. */
import { keepPreviousData, type QueryClient, useQuery } from '@tanstack/react-query'
import { api, type Message, unwrap } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.d.ts'
import { useListing } from '../../ui/listing.tsx'
import { sum } from '../../ui/numbers.ts'

/** `error` is filtered here; all others are API parameters. */
export const FILTER_NAMES = [
  'error',
  'channel',
  'provider',
  'q',
  'to',
  'tag',
  'lane',
  'created_from',
  'created_to',
] as const
export type LetterFilters = Partial<Record<(typeof FILTER_NAMES)[number], string>>

export type Filter = components['schemas']['MessageFilter']
export type Reason = components['schemas']['ErrorCount']

const PAGE = 100

/**
 * The API cannot filter by error code, only search for it as text, which may match other fields. Callers check the code
 * again with `matchesFilters`.
 */
export function toFilter({ error, q, ...rest }: LetterFilters): Filter {
  const words = [error, q].filter((text) => text !== undefined).join(' ')
  return { ...rest, ...(words === '' ? {} : { q: words }) } as Filter
}

/** A replayed message stays in the index for a moment. */
export const matchesFilters = ({ error }: LetterFilters, { dead_letter, error_code }: Message): boolean =>
  dead_letter && (error === undefined || error_code === error)

export const listLetters = (filters: LetterFilters, cursor: string | undefined, limit = PAGE) =>
  unwrap(
    api.GET('/v1/dead-letters', {
      params: { query: { ...toFilter(filters), limit, ...(cursor === undefined ? {} : { cursor }) } },
    }),
  )

export const useLetters = (filters: LetterFilters) =>
  useListing(['dead-letters', 'list', filters], ({ cursor }) => listLetters(filters, cursor))

type Times = Readonly<{ from?: string; to?: string }>

/** The filters that the counts by reason support besides the reason itself. */
export const timesOf = ({ created_from, created_to }: LetterFilters): LetterFilters => ({
  ...(created_from === undefined ? {} : { created_from }),
  ...(created_to === undefined ? {} : { created_to }),
})

export function useReasons({ created_from: from, created_to: to }: LetterFilters) {
  const times: Times = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  return useQuery({
    queryKey: ['dead-letters', 'reasons', times],
    queryFn: () => unwrap(api.GET('/v1/stats/errors', { params: { query: { ...times, dead: true } } })),
    placeholderData: keepPreviousData,
  })
}

export const refetchLetters = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['dead-letters'] })

/** The filters that the counts by reason support. */
const COUNTED: readonly string[] = ['error', 'channel', 'provider', 'created_from', 'created_to']

/** How many letters match, if the counts by reason can tell. */
export function countOf(filters: LetterFilters, reasons: readonly Reason[] | undefined): number | undefined {
  if (reasons === undefined || Object.keys(filters).some((name) => !COUNTED.includes(name))) return undefined
  return sum(reasons.filter((reason) => hasReason(filters, reason)).map(({ count }) => count))
}

const hasReason = ({ error, channel, provider }: LetterFilters, reason: Reason): boolean =>
  (error === undefined || reason.error_code === error) &&
  (channel === undefined || reason.channel === channel) &&
  (provider === undefined || reason.provider === provider)
