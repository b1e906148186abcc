/** What the gateway knows of its providers, asked again and again while somebody looks. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, take } from '../../api/client.ts'
import type { paths } from '../../api/schema.gen.d.ts'
import { tellError } from '../../ui/toast.tsx'

type Listed = paths['/v1/providers']['get']['responses']['200']['content']['application/json']
type Errors = paths['/v1/stats/errors']['get']['responses']['200']['content']['application/json']
export type ErrorCount = Errors['items'][number]
export type Provider = Listed['items'][number]
export type Statuses = NonNullable<Provider['recent']>['statuses']

const PROVIDERS = ['providers'] as const
const EVERY_MS = 3_000
const HOUR_MS = 3_600_000

export const useProviders = () =>
  useQuery({ queryKey: PROVIDERS, queryFn: () => take(api.GET('/v1/providers')), refetchInterval: EVERY_MS })

/** The errors of the last hour, of all providers. */
export const useRecentErrors = () =>
  useQuery({
    queryKey: ['errors', 'hour'],
    queryFn: () =>
      take(api.GET('/v1/stats/errors', { params: { query: { from: new Date(Date.now() - HOUR_MS).toISOString() } } })),
    refetchInterval: 2 * EVERY_MS,
  })

/** What its card is called on the page of the providers. */
export const idOf = (name: string): string => `provider-${name}`

export type Force = Readonly<{ name: string; action: 'trip' | 'reset'; seconds?: number }>

export function useForce(onDone: (done: Force) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ name, ...body }: Force) =>
      take(api.POST('/v1/providers/{name}/breaker', { params: { path: { name } }, body })),
    onSuccess: async (_, done) => {
      onDone(done)
      await queries.invalidateQueries({ queryKey: PROVIDERS })
    },
    onError: tellError,
  })
}
