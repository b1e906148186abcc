/**
 * What a customer is told of an event, in the words of the HTTP API: that the status of a message has changed,
 * and how the message stood then. Neither its text nor the full number it is for.
 */

import { type Instant, toIso } from '../../lib/time.ts'
import type { MessageEvent } from '../message/events.ts'
import type { Content } from '../message/message.ts'
import { maskRecipient } from '../message/searchable.ts'
import { toStatus } from '../message/states.ts'
import type { WebhookEventType } from './endpoint.ts'

export type WebhookPayload = Readonly<{
  type: WebhookEventType
  timestamp: string
  data: Readonly<Record<string, unknown>>
}>

export type PendingEvents = Readonly<{
  /** Up to which position of the log it was told already. */
  told: number
  since: Instant
  /** Of what; empty is of everything. */
  events: readonly WebhookEventType[]
}>

const typeOf = ({ state }: MessageEvent): WebhookEventType => `message.${toStatus(state)}`

/** Those events of a message that are still to be told, in their order. */
export function toPending<Placed extends Readonly<{ position: number; event: MessageEvent }>>(
  placed: readonly Placed[],
  { told, since, events }: PendingEvents,
): readonly Placed[] {
  return placed.filter(
    ({ position, event }) =>
      position > told &&
      event.at >= since &&
      toStatus(event.state) !== event.previousStatus &&
      (events.length === 0 || events.includes(typeOf(event))),
  )
}

/** The same however often the event is told, so that a customer knows a repetition by it. Without a dot. */
export const toWebhookId = ({ id }: MessageEvent): string => `evt_${id.slice(0, 32)}`

/** `content` is missing once it is erased; then nothing of it is told, also of what happened before. */
export function toPayload(event: MessageEvent, content: Content | undefined): WebhookPayload {
  const { state, previousStatus } = event
  const timestamp = toIso(event.at)
  return {
    type: typeOf(event),
    timestamp,
    data: {
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
      occurred_at: timestamp,
    },
  }
}
