/** Spans of the posts of webhook events, within the span of the event. They have neither the URL nor the payload. */
import type { MessageEvent } from '../domain/message/events.ts'
import { toWebhookId } from '../domain/webhooks/payload.ts'
import { toFailureClass, toVerdict, type WebhookResponse } from '../domain/webhooks/retry-schedule.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import type { Instant } from '../lib/time.ts'
import type { EndpointKey } from '../ports/endpoints.ts'
import type { Ids } from '../ports/world.ts'
import type { EmitSpan } from './span.ts'
import { spanWith } from './tracing-spans.ts'

type PostedWebhook = Readonly<{
  endpoint: EndpointKey
  event: MessageEvent
  spanId: string
  start: Instant
  end: Instant
  response: WebhookResponse
}>

export const webhookSpans =
  ({ emit, ids }: Readonly<{ emit: EmitSpan; ids: Pick<Ids, 'attemptId'> }>) =>
  ({ endpoint, event, spanId: id, start, end, response }: PostedWebhook): void => {
    const { cycle, attempt, state } = event
    if (state.unsampled === true) return
    const failed = toVerdict(response).kind !== 'delivered'
    const code = failed ? toFailureClass(response) : undefined
    emit({
      traceId: state.traceId,
      id,
      parent: spanWith(event, ids),
      name: 'webhook',
      kind: 'client',
      start,
      end,
      failed,
      ...omitUndefined({ code }),
      attributes: {
        'messaging.system': 'pombo',
        'messaging.message.id': state.id,
        'messaging.operation.name': 'webhook',
        'pombo.message_id': state.id,
        'pombo.tenant_id': state.tenantId,
        'pombo.cycle': cycle,
        'pombo.attempt': attempt,
        'pombo.event': event.fact.kind,
        'pombo.webhook_id': toWebhookId(event),
        'pombo.endpoint_id': endpoint.id,
        ...omitUndefined({
          'pombo.error_code': code,
          'http.response.status_code': response.kind === 'answered' ? response.status : undefined,
        }),
      },
    })
  }
