/** Queries and mutations of rate limits. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.d.ts'
import { useListing } from '../../ui/listing.tsx'

export type Limit = components['schemas']['Limit']
export type Scope = components['schemas']['LimitScope']
export type Rule = Pick<Limit, 'limit' | 'window_seconds' | 'algorithm'>
export type Key = Readonly<{ scope: Scope; key: string }>

export const SCOPES: readonly Scope[] = ['tenant', 'account', 'recipient', 'user']

/** The key of the default limit of a scope: it applies to each one without its own limit. */
export const EACH = '*'

const LIMITS = ['limits'] as const
const EVERY_MS = 5_000

export const useLimits = (scope: Scope | undefined) =>
  useListing(
    [...LIMITS, 'list', scope],
    (from) =>
      unwrap(api.GET('/v1/limits', { params: { query: { ...from, ...(scope === undefined ? {} : { scope }) } } })),
    EVERY_MS,
  )

/** The limit set for exactly this key. */
export const useLimit = (key: Key | undefined) =>
  useQuery({
    queryKey: [...LIMITS, 'one', key],
    queryFn: () =>
      unwrap(api.GET('/v1/limits/{scope}/{key}', { params: { path: key ?? { scope: 'tenant', key: '' } } })),
    enabled: key !== undefined,
    refetchInterval: (query) => (query.state.error === null ? EVERY_MS : false),
  })

export function useSetLimit(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ path, rule }: Readonly<{ path: Key; rule: Rule }>) =>
      unwrap(api.PUT('/v1/limits/{scope}/{key}', { params: { path }, body: rule })),
    onSuccess: async () => {
      onDone()
      await queries.invalidateQueries({ queryKey: LIMITS })
    },
  })
}

export function useRemoveLimit(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (path: Key) => unwrap(api.DELETE('/v1/limits/{scope}/{key}', { params: { path } })),
    onSuccess: async () => {
      onDone()
      await queries.invalidateQueries({ queryKey: LIMITS })
    },
  })
}
