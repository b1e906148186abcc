/** What the page of a message asks for, and what it can have done. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type MessageDetails, take } from '../../api/client.ts'
import { useLive } from '../../api/live.ts'
import { tell, tellError } from '../../ui/toast.tsx'

const keyOf = (id: string) => ['message', id] as const

/** Not everything that happens changes the status, and only that is told live; so it is asked for in between too. */
const IN_FLIGHT_MS = 3_000
const FOLLOWED_MS = 15_000

export const isInFlight = ({ handoff_state }: MessageDetails): boolean =>
  handoff_state !== 'handed_off' && handoff_state !== 'failed'

export function useMessage(id: string) {
  const queries = useQueryClient()
  useLive((events) => {
    if (events.some(({ data }) => data.messageId === id)) void queries.invalidateQueries({ queryKey: keyOf(id) })
  })
  return useQuery({
    queryKey: keyOf(id),
    queryFn: () => take(api.GET('/v1/messages/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined) return false
      return isInFlight(data) ? IN_FLIGHT_MS : data.status === 'sent' && FOLLOWED_MS
    },
  })
}

export const useProviders = () =>
  useQuery({ queryKey: ['providers'], queryFn: () => take(api.GET('/v1/providers')), refetchInterval: 10_000 })

/** Looked up again whenever the message is. */
export const useWebhookDeliveries = (id: string) =>
  useQuery({
    queryKey: [...keyOf(id), 'webhookDeliveries'],
    queryFn: () => take(api.GET('/v1/messages/{id}/webhook-deliveries', { params: { path: { id } } })),
  })

export type Resolution = 'sent' | 'not_sent' | 'resend'

/** Does it, says so, and looks again. */
function useAct<Input>(id: string, done: string, act: (input: Input) => Promise<unknown>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: () => tell(done),
    onError: tellError,
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(id) }),
  })
}

const at = (id: string) => ({ params: { path: { id } } })

export const useResend = (id: string, done: string) =>
  useAct(id, done, () => take(api.POST('/v1/messages/{id}/resend', at(id))))

export const useErase = (id: string, done: string) =>
  useAct(id, done, () => take(api.POST('/v1/messages/{id}/erase', at(id))))

export const useResolve = (id: string, done: string) =>
  useAct(id, done, (as: Resolution) => take(api.POST('/v1/messages/{id}/resolve', { ...at(id), body: { as } })))
