/** Queries and mutations of providers. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.d.ts'
import { showErrorToast } from '../../ui/toast.tsx'

export type ErrorCount = components['schemas']['ErrorCount']
export type Provider = components['schemas']['Provider']
export type Statuses = components['schemas']['StatusCounts']

const PROVIDERS = ['providers'] as const
const EVERY_MS = 3_000
const HOUR_MS = 3_600_000

export const useProviders = () =>
  useQuery({ queryKey: PROVIDERS, queryFn: () => unwrap(api.GET('/v1/providers')), refetchInterval: EVERY_MS })

export const useRecentErrors = () =>
  useQuery({
    queryKey: ['errors', 'hour'],
    queryFn: () =>
      unwrap(
        api.GET('/v1/stats/errors', { params: { query: { from: new Date(Date.now() - HOUR_MS).toISOString() } } }),
      ),
    refetchInterval: 2 * EVERY_MS,
  })

/** The element id of a provider's card. */
export const idOf = (name: string): string => `provider-${name}`

export type BreakerAction = Readonly<{ name: string; action: 'trip' | 'reset'; seconds?: number }>

export function useBreakerAction(onDone: (done: BreakerAction) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ name, ...body }: BreakerAction) =>
      unwrap(api.POST('/v1/providers/{name}/breaker', { params: { path: { name } }, body })),
    onSuccess: async (_, done) => {
      onDone(done)
      await queries.invalidateQueries({ queryKey: PROVIDERS })
    },
    onError: showErrorToast,
  })
}
