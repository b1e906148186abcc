/** The attempts of webhook deliveries: listing them, and what each sent and got. */
import { Type } from 'typebox'
import { isForOperators } from '../../domain/alerts/alert.ts'
import { parseWebhookAttemptId, type WebhookAttemptId } from '../../domain/ids.ts'
import { notFound, refuse } from '../../flows/errors.ts'
import type { EndpointKey, Endpoints } from '../../ports/endpoints.ts'
import { ATTEMPTS_KEPT, type WebhookAttemptSealer, type WebhookAttempts } from '../../ports/webhook-attempts.ts'
import type { SubjectId } from '../../ports/webhook-deliveries.ts'
import { type Guard, mayOperate } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { MessageIdText, PageFields, pageOf, responses } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { toAttemptDetails, toAttemptView, WebhookAttemptDetails, WebhookAttemptView } from './attempt-schemas.ts'
import { DeliveryTargetId } from './endpoint-schemas.ts'
import { findDeliveryTarget } from './find-endpoint.ts'

export type WebhookAttemptsDeps = Readonly<{
  endpoints: Pick<Endpoints, 'find'>
  webhookAttempts: Pick<WebhookAttempts, 'list' | 'find'>
  attemptSealer: Pick<WebhookAttemptSealer, 'open'>
  guard: Guard
}>

export function webhookAttemptRoutes(app: Api, deps: WebhookAttemptsDeps): void {
  const { webhookAttempts, attemptSealer, guard } = deps
  const mayRead = guard('messages:read')

  app.get('/v1/endpoints/:id/attempts', { schema: LIST, onRequest: mayRead }, async (request) => {
    const endpoint = toKey(await findDeliveryTarget(deps, callerOf(request), request.params.id))
    const { message_id, alert_id, limit = 50, cursor } = request.query
    if (message_id !== undefined && alert_id !== undefined) {
      throw refuseFields([{ path: '/alert_id', message: 'must not be given together with message_id' }])
    }
    const subject = (message_id ?? alert_id)?.toLowerCase() as SubjectId | undefined
    const found = await webhookAttempts.list({
      ...endpoint,
      limit: limit + 1,
      ...(subject === undefined ? {} : { subjectId: subject }),
      ...(cursor === undefined ? {} : { cursor: readCursor(cursor) }),
    })
    const page = found.slice(0, limit)
    const items = page.map((sealed) => toAttemptView(attemptSealer.open(sealed)))
    return { items, next_cursor: found.length > limit ? (page.at(-1)?.id ?? null) : null }
  })

  app.get('/v1/endpoints/:id/attempts/:attempt', { schema: FIND, onRequest: mayRead }, async (request) => {
    const caller = callerOf(request)
    const endpoint = toKey(await findDeliveryTarget(deps, caller, request.params.id))
    const id = parseWebhookAttemptId(request.params.attempt)
    const sealed = id && (await webhookAttempts.find({ ...endpoint, id }))
    if (sealed === undefined) throw notFound('webhook attempt', request.params.attempt)
    const attempt = attemptSealer.open(sealed)
    if (isForOperators(attempt.event.type) && !mayOperate(caller)) {
      throw refuse('FORBIDDEN', 'Events of the installation need the scope operator')
    }
    return toAttemptDetails(attempt)
  })
}

const toKey = ({ tenantId, accountId, id }: EndpointKey) => ({ tenantId, accountId, endpointId: id })

function readCursor(text: string): WebhookAttemptId {
  const id = parseWebhookAttemptId(text)
  if (id === undefined) throw refuseFields([{ path: '/cursor', message: 'must be the next_cursor of a page' }])
  return id
}

const tags = ['endpoints']

const LIST = {
  operationId: 'listWebhookAttempts',
  tags,
  summary: 'List webhook attempts',
  description: `Each call of the endpoint, newest first: those of one delivery with \`message_id\` or \`alert_id\`. The newest ${ATTEMPTS_KEPT} of each delivery and the newest ${ATTEMPTS_KEPT} test events are kept for seven days. An attempt is listed up to a second after it has ended.`,
  params: Type.Object({ id: DeliveryTargetId }),
  querystring: Type.Object(
    {
      message_id: Type.Optional(
        Type.Unsafe<string>({ ...MessageIdText, description: 'Only attempts to deliver events of this message.' }),
      ),
      alert_id: Type.Optional(
        Type.Unsafe<string>({ ...MessageIdText, description: 'Only attempts to deliver this alert.' }),
      ),
      ...PageFields,
    },
    { additionalProperties: false },
  ),
  response: responses(
    { 200: { description: 'A page of webhook attempts.', schema: pageOf(WebhookAttemptView) } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}

const FIND = {
  operationId: 'getWebhookAttempt',
  tags,
  summary: 'Get a webhook attempt',
  description:
    'What was sent and what the server answered: headers and the first 4 KB of both bodies. Erasing a message deletes its attempts.',
  params: Type.Object({
    id: DeliveryTargetId,
    attempt: Type.String({
      description: 'The `id` of an attempt.',
      examples: ['0192f3a1-7c1e-7abc-8def-0123456789ab'],
    }),
  }),
  response: responses({ 200: { description: 'The attempt.', schema: WebhookAttemptDetails } }, 'NOT_FOUND'),
}
