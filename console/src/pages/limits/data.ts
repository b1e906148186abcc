/** The limits that are set, how far each is used up, and setting them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, take } from '../../api/client.ts'
import type { paths } from '../../api/schema.gen.d.ts'
import { useListing } from '../../ui/listing.tsx'

export type Limit = paths['/v1/limits']['get']['responses']['200']['content']['application/json']['items'][number]
export type Scope = Limit['scope']
export type Rule = Pick<Limit, 'limit' | 'window_seconds' | 'algorithm'>
export type Key = Readonly<{ scope: Scope; key: string }>

export const SCOPES: readonly Scope[] = ['tenant', 'account', 'recipient', 'user']

/** The key of a limit for each one of its scope that has none of its own. */
export const EACH = '*'

const LIMITS = ['limits'] as const
const EVERY_MS = 5_000

export const useLimits = (scope: Scope | undefined) =>
  useListing(
    [...LIMITS, 'list', scope],
    (from) =>
      take(api.GET('/v1/limits', { params: { query: { ...from, ...(scope === undefined ? {} : { scope }) } } })),
    EVERY_MS,
  )

/** Only what was set for exactly this one. */
export const useLimit = (key: Key | undefined) =>
  useQuery({
    queryKey: [...LIMITS, 'one', key],
    queryFn: () => take(api.GET('/v1/limits/{scope}/{key}', { params: { path: key ?? { scope: 'tenant', key: '' } } })),
    enabled: key !== undefined,
    refetchInterval: (query) => (query.state.error === null ? EVERY_MS : false),
  })

export function useSetLimit(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ path, rule }: Readonly<{ path: Key; rule: Rule }>) =>
      take(api.PUT('/v1/limits/{scope}/{key}', { params: { path }, body: rule })),
    onSuccess: async () => {
      onDone()
      await queries.invalidateQueries({ queryKey: LIMITS })
    },
  })
}

export function useRemoveLimit(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (path: Key) => take(api.DELETE('/v1/limits/{scope}/{key}', { params: { path } })),
    onSuccess: async () => {
      onDone()
      await queries.invalidateQueries({ queryKey: LIMITS })
    },
  })
}
