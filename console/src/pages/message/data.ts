/** Queries and mutations of the message page. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type MessageDetails, unwrap } from '../../api/client.ts'
import { useLive } from '../../api/live.ts'
import { showErrorToast, showToast } from '../../ui/toast.tsx'

const keyOf = (id: string) => ['message', id] as const

/** Live events only report status changes, so the message is also polled. */
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
    queryFn: () => unwrap(api.GET('/v1/messages/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined) return false
      return isInFlight(data) ? IN_FLIGHT_MS : data.status === 'sent' && FOLLOWED_MS
    },
  })
}

export const useProviders = () =>
  useQuery({ queryKey: ['providers'], queryFn: () => unwrap(api.GET('/v1/providers')), refetchInterval: 10_000 })

/** Refetched together with the message, because the key starts with the message's key. */
export const useWebhookDeliveries = (id: string) =>
  useQuery({
    queryKey: [...keyOf(id), 'webhookDeliveries'],
    queryFn: () => unwrap(api.GET('/v1/messages/{id}/webhook-deliveries', { params: { path: { id } } })),
  })

export type Resolution = 'sent' | 'not_sent' | 'resend'

/** Runs a mutation, shows a toast, and refetches the message. */
function useAction<Input>(id: string, done: string, action: (input: Input) => Promise<unknown>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: action,
    onSuccess: () => showToast(done),
    onError: showErrorToast,
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(id) }),
  })
}

const at = (id: string) => ({ params: { path: { id } } })

export const useResend = (id: string, done: string) =>
  useAction(id, done, () => unwrap(api.POST('/v1/messages/{id}/resend', at(id))))

export const useErase = (id: string, done: string) =>
  useAction(id, done, () => unwrap(api.POST('/v1/messages/{id}/erase', at(id))))

export const useResolve = (id: string, done: string) =>
  useAction(id, done, (as: Resolution) => unwrap(api.POST('/v1/messages/{id}/resolve', { ...at(id), body: { as } })))
