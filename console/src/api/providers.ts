/** The providers that messages of this session may use, and whether there is a simulator among them. */
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from './client.ts'
import { hasScope, isInTestMode, type Session } from './session.ts'

export const fetchProviders = () => unwrap(api.GET('/v1/providers'))

/** Not asked without the scope to read them. */
export function useHasSimulator(session: Session | undefined): Readonly<{ has: boolean; isLoading: boolean }> {
  const { data, isLoading } = useQuery({
    queryKey: ['providers'],
    queryFn: fetchProviders,
    enabled: hasScope(session, 'messages:read'),
  })
  return { has: data?.items.some(({ simulated }) => simulated) === true, isLoading }
}

/** In live mode, what arrives may be meant for customers. */
export const maySeeSimulator = (session: Session): boolean =>
  hasScope(session, 'content:read') || (isInTestMode(session) && hasScope(session, 'messages:read'))
