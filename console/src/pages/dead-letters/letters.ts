/** The dead letters as the gateway lists and counts them, and the words of the address that say which are meant. */
import { keepPreviousData, type QueryClient, useQuery } from '@tanstack/react-query'
import { api, type Message, take } from '../../api/client.ts'
import type { paths } from '../../api/schema.gen.d.ts'
import { useListing } from '../../ui/listing.tsx'
import { sum } from '../../ui/numbers.ts'

/** `error` is ours; the others are those of the API. */
export const SOUGHT = ['error', 'channel', 'provider', 'q', 'to', 'tag', 'lane', 'created_from', 'created_to'] as const
export type Sought = Partial<Record<(typeof SOUGHT)[number], string>>

export type Filter = NonNullable<
  paths['/v1/dead-letters/replay']['post']['requestBody']['content']['application/json']['filter']
>

export type Reason =
  paths['/v1/stats/errors']['get']['responses']['200']['content']['application/json']['items'][number]

const PAGE = 100

/**
 * What the API can filter by. It has no filter for the code of an error, only one for its words, which may occur
 * elsewhere too: whoever needs the code itself looks with `isMeant` again.
 */
export function toFilter({ error, q, ...rest }: Sought): Filter {
  const words = [error, q].filter((text) => text !== undefined).join(' ')
  return { ...rest, ...(words === '' ? {} : { q: words }) } as Filter
}

/** One that was replayed shows for a moment longer. */
export const isMeant = ({ error }: Sought, { dead_letter, error_code }: Message): boolean =>
  dead_letter && (error === undefined || error_code === error)

export const listLetters = (sought: Sought, cursor: string | undefined, limit = PAGE) =>
  take(
    api.GET('/v1/dead-letters', {
      params: { query: { ...toFilter(sought), limit, ...(cursor === undefined ? {} : { cursor }) } },
    }),
  )

export const useLetters = (sought: Sought) =>
  useListing(['dead-letters', 'list', sought], ({ cursor }) => listLetters(sought, cursor))

type Times = Readonly<{ from?: string; to?: string }>

/** What the counts by reason are of, beside their reasons. */
export const timesOf = ({ created_from, created_to }: Sought): Sought => ({
  ...(created_from === undefined ? {} : { created_from }),
  ...(created_to === undefined ? {} : { created_to }),
})

export function useReasons({ created_from: from, created_to: to }: Sought) {
  const times: Times = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  return useQuery({
    queryKey: ['dead-letters', 'reasons', times],
    queryFn: () => take(api.GET('/v1/stats/errors', { params: { query: { ...times, dead: true } } })),
    placeholderData: keepPreviousData,
  })
}

export const lookAgain = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['dead-letters'] })

/** What the counts by reason are filtered by; whatever else is sought they do not know. */
const COUNTED: readonly string[] = ['error', 'channel', 'provider', 'created_from', 'created_to']

/** How many letters are meant, where the counts tell. */
export function countOf(sought: Sought, reasons: readonly Reason[] | undefined): number | undefined {
  if (reasons === undefined || Object.keys(sought).some((name) => !COUNTED.includes(name))) return undefined
  return sum(reasons.filter((reason) => isOf(sought, reason)).map(({ count }) => count))
}

const isOf = ({ error, channel, provider }: Sought, reason: Reason): boolean =>
  (error === undefined || reason.error_code === error) &&
  (channel === undefined || reason.channel === channel) &&
  (provider === undefined || reason.provider === provider)
