/**
 * The payload of a webhook event: the changed status of a message and its fields at that time, or an alert. It contains
 * neither the text nor the full recipient.
 */

import { type Instant, toIso } from '../../lib/time.ts'
import type { Alert } from '../alerts/alert.ts'
import { toAlertData } from '../alerts/alert-data.ts'
import { isHashed } from '../ids.ts'
import type { MessageEvent } from '../message/events.ts'
import type { Content } from '../message/message.ts'
import { maskRecipient } from '../message/searchable.ts'
import { toStatus } from '../message/states.ts'
import { subscribesTo, type WebhookEventType } from './endpoint.ts'

export type WebhookPayload = Readonly<{
  type: WebhookEventType
  timestamp: string
  data: Readonly<Record<string, unknown>>
}>

export type PendingEvents = Readonly<{
  /** The position of the log up to which events were delivered. */
  deliveredThrough: number
  since: Instant
  /** The subscribed events, as an endpoint has them. */
  events: readonly WebhookEventType[]
}>

const typeOf = ({ state }: MessageEvent): WebhookEventType => `message.${toStatus(state)}`

/** The events of a message that are still to be delivered, in order. */
export function toPending<Placed extends Readonly<{ position: number; event: MessageEvent }>>(
  placed: readonly Placed[],
  { deliveredThrough, since, events }: PendingEvents,
): readonly Placed[] {
  return placed.filter(
    ({ position, event }) =>
      position > deliveredThrough &&
      event.at >= since &&
      toStatus(event.state) !== event.previousStatus &&
      subscribesTo({ events }, typeOf(event)),
  )
}

/** The same for every delivery of an event, so that customers can deduplicate. Without a dot. */
export const toWebhookId = ({ id }: MessageEvent): string =>
  `evt_${isHashed(id) ? id.slice(0, HASH_DIGITS) : id.replaceAll('.', '_')}`

/** So many digits identify an event whose id is a hash. */
const HASH_DIGITS = 32

export const toAlertWebhookId = ({ id }: Alert): string => `alert_${id}`

/** `content` is missing once erased; then even older events are delivered without it. */
export function toPayload(event: MessageEvent, content: Content | undefined): WebhookPayload {
  return { type: typeOf(event), timestamp: toIso(event.at), data: toMessageData(event, content) }
}

/** What is told of a message. */
export type MessageData = ReturnType<typeof toMessageData>

function toMessageData({ at, state, previousStatus }: MessageEvent, content: Content | undefined) {
  return {
    message_id: state.id,
    status: toStatus(state),
    previous_status: previousStatus ?? null,
    channel: state.channel,
    type: state.kind,
    to: content === undefined ? null : maskRecipient(content),
    provider: state.provider ?? null,
    provider_message_id: state.providerMessageId ?? null,
    error_code: state.errorCode ?? null,
    error_detail: state.errorDetail ?? null,
    attempts: state.attempt,
    cycle: state.cycle,
    segments: state.segments,
    metadata: { ...content?.metadata },
    tags: [...(content?.tags ?? [])],
    created_at: toIso(state.createdAt),
    occurred_at: toIso(at),
  }
}

export const toAlertPayload = (alert: Alert): WebhookPayload => ({
  type: alert.kind,
  timestamp: toIso(alert.at),
  data: toAlertData(alert),
})
