/** The first steps on a new gateway, those that this session may take, and whether the list was dismissed. */
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client.ts'
import { hasScope, type Session, useSession } from '../../api/session.ts'

export type StepName = 'send' | 'provider' | 'webhook' | 'user' | 'key'
export type SetupStep = Readonly<{ name: StepName; isDone: boolean }>

const SCOPES: Readonly<Record<StepName, string>> = {
  send: 'sms:send',
  provider: 'operator',
  webhook: 'admin',
  user: 'admin',
  key: 'admin',
}
const ORDER = ['send', 'provider', 'webhook', 'user', 'key'] as const satisfies readonly StepName[]

const EVERY_MS = 5_000
/** A webhook of a later endpoint counts once one of these works. */
const ENDPOINTS_LOOKED_AT = 5

/** Undefined while it is not known. */
export function useSteps(hasMessages: boolean, isWanted: boolean): readonly SetupStep[] | undefined {
  const session = useSession()
  const names = ORDER.filter((name) => hasScope(session, SCOPES[name]))
  const others = names.filter((name) => name !== 'send')
  const { data } = useQuery({
    queryKey: ['get-started', others],
    queryFn: () => findSteps(others, session),
    enabled: isWanted,
    refetchInterval: EVERY_MS,
  })
  if (data === undefined) return undefined
  return names.flatMap((name) => {
    const isDone = name === 'send' ? hasMessages : data[name]
    return isDone === undefined ? [] : [{ name, isDone }]
  })
}

/** A step whose state the gateway does not tell is left out. */
async function findSteps(names: readonly Exclude<StepName, 'send'>[], session: Session | undefined) {
  const found = await Promise.all(
    names.map(async (name) => [name, await FINDERS[name](session).catch(() => undefined)] as const),
  )
  return Object.fromEntries(found) as Partial<Record<StepName, boolean>>
}

const FINDERS: Readonly<Record<Exclude<StepName, 'send'>, (session: Session | undefined) => Promise<boolean>>> = {
  provider: async () => (await unwrap(api.GET('/v1/providers'))).items.some(({ simulated }) => !simulated),
  webhook: hasDeliveredWebhook,
  user: async (session) => (await unwrap(api.GET('/v1/users'))).items.some(({ id }) => id !== session?.user?.id),
  key: async () => (await unwrap(api.GET('/v1/api-keys', { params: { query: { limit: 1 } } }))).items.length > 0,
}

async function hasDeliveredWebhook(): Promise<boolean> {
  const { items } = await unwrap(api.GET('/v1/endpoints'))
  const delivered = await Promise.all(
    items.slice(0, ENDPOINTS_LOOKED_AT).map(async ({ id }) => {
      const params = { path: { id }, query: { state: 'delivered' as const, limit: 1 } }
      return (await unwrap(api.GET('/v1/endpoints/{id}/deliveries', { params }))).items.length > 0
    }),
  )
  return delivered.includes(true)
}

const keyOf = (tenant: string): string => `pombo.get-started.${tenant}`

export const isDismissed = (tenant: string): boolean => localStorage.getItem(keyOf(tenant)) === 'dismissed'

export const dismiss = (tenant: string): void => localStorage.setItem(keyOf(tenant), 'dismissed')
