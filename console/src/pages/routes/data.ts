/** Queries and mutations of routes. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.d.ts'

export type Route = components['schemas']['Route']
export type Addition = components['schemas']['CreateRouteRequest']
export type Changes = components['schemas']['UpdateRouteRequest']
export type ResolveRequest = components['schemas']['ResolveRouteRequest']
export type Decision = components['schemas']['RouteResolution']

export const ROUTES = ['routes'] as const

export const useRoutes = () => useQuery({ queryKey: [...ROUTES, 'list'], queryFn: () => unwrap(api.GET('/v1/routes')) })

export const useProviderNames = (channel: Route['channel']): readonly string[] => {
  const { data } = useQuery({ queryKey: ['providers'], queryFn: () => unwrap(api.GET('/v1/providers')) })
  return (data?.items ?? []).filter(({ channels }) => channels.includes(channel)).map(({ name }) => name)
}

/** Refreshed regularly, because circuit breakers open and close. */
export const useDecision = (request: ResolveRequest | undefined) =>
  useQuery({
    queryKey: [...ROUTES, 'decision', request],
    queryFn: () => unwrap(api.POST('/v1/routes/resolve', { body: request ?? { to: '' } })),
    enabled: request !== undefined,
    refetchInterval: (query) => (query.state.error === null ? 5_000 : false),
  })

export type Save = Readonly<{ kind: 'add'; body: Addition } | { kind: 'change'; id: string; body: Changes }>

export function useSave(onDone: (id: string) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (save: Save) =>
      save.kind === 'add'
        ? unwrap(api.POST('/v1/routes', { body: save.body }))
        : unwrap(api.PATCH('/v1/routes/{id}', { params: { path: { id: save.id } }, body: save.body })),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ROUTES })
      onDone(id)
    },
  })
}

export const removeRoute = (id: string) => unwrap(api.DELETE('/v1/routes/{id}', { params: { path: { id } } }))
