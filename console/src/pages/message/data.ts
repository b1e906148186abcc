/** Queries and mutations of the message page. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type MessageDetails, unwrap } from '../../api/client.ts'
import { useLive } from '../../api/live.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { showErrorToast, showToast } from '../../ui/toast.tsx'

const keyOf = (id: string) => ['message', id] as const

/**
 * Events are published for changes of the status, retries and dead letters. Attempts and unknown outcomes are not
 * published, nor is the provider's acceptance of a message that is `sent` already, so those are asked for.
 */
const IN_FLIGHT_MS = 3_000
const FOLLOWED_MS = 15_000

export const isInFlight = ({ handoff_state, status }: Pick<MessageDetails, 'handoff_state' | 'status'>): boolean =>
  handoff_state !== 'handed_off' && handoff_state !== 'failed' && status !== 'delivered'

export function useMessage(id: string) {
  const queries = useQueryClient()
  /**
   * An answer that is on its way may be older than the event. `invalidateQueries` alone would wait for it and leave it at
   * that, so it is discarded.
   */
  const refresh = async (): Promise<void> => {
    await queries.cancelQueries({ queryKey: keyOf(id) })
    await queries.invalidateQueries({ queryKey: keyOf(id) })
  }
  useLive(
    (events) => {
      if (events.some(({ data }) => data.messageId === id)) void refresh()
    },
    () => void refresh(),
  )
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
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ state }) => state === 'pending') === true && FOLLOWED_MS,
  })

/** Delivers the events of the message to these endpoints again. */
export const useDeliverAgain = (message_id: string) =>
  useAction(message_id, MESSAGE_TEXTS.webhookDeliveries.delivering, (endpoints: readonly string[]) =>
    Promise.all(
      endpoints.map((id) =>
        unwrap(api.POST('/v1/endpoints/{id}/replay', { params: { path: { id } }, body: { message_id } })),
      ),
    ),
  )

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
