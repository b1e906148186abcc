/** Twilio's Message resource: sending, listing, getting, and erasing by `DELETE` or by an empty body. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { MessageId } from '../../domain/ids.ts'
import { toTwilioStatus } from '../../domain/twilio/message-status.ts'
import { parseSid, toSid } from '../../domain/twilio/sids.ts'
import { type EraseDeps, erase } from '../../flows/admin/erase.ts'
import { type AdmitDeps, admit } from '../../flows/send/admit.ts'
import { type Audit, audited, sometimesAudited } from '../access/audit.ts'
import { allows } from '../http/auth.ts'
import { type Api, callerOf, toLogFields, traceOf } from '../http/context.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import { hasCode } from '../messages/content.ts'
import { type FindDeps, type FoundMessage, findMessage } from '../messages/find-message.ts'
import type { AcceptObserver } from '../send/sending.ts'
import { errorAnswer, noResource, refuseAs } from './errors.ts'
import { formOf, given, queryOf } from './form.ts'
import { type ListDeps, listMessages } from './message-list.ts'
import { type RequestDeps, toSubmission } from './message-request.ts'
import { type MessageView, toMessageView, toSentView } from './message-view.ts'
import type { TwilioGuard } from './twilio.ts'

export type MessagesDeps = AdmitDeps &
  RequestDeps &
  EraseDeps &
  FindDeps &
  ListDeps &
  Readonly<{ audit: Audit; logger: Logger; observe?: AcceptObserver }>

const ALL = '/2010-04-01/Accounts/:account/Messages'
const ONE = `${ALL}/:sid`
const BODY_LIMIT = 64 * 1024

export function messageRoutes(app: Api, deps: MessagesDeps, guard: TwilioGuard): void {
  const config = { errorAnswer }
  const hidden = { schema: { hide: true }, config }
  const erasing = { schema: { hide: true, ...audited('message.erased') }, config, onRequest: guard('messages:write') }

  for (const url of [ALL, `${ALL}.json`]) {
    app.post(url, { ...hidden, onRequest: guard('sms:send'), bodyLimit: BODY_LIMIT }, (request, reply) =>
      send(deps, request, reply),
    )
    app.get(url, { ...hidden, onRequest: guard('messages:read') }, (request) =>
      listMessages(deps, callerOf(request), queryOf(request)),
    )
  }
  const schema = { hide: true, ...sometimesAudited('message.content_read') }
  app.get(ONE, { config, schema, onRequest: guard('messages:read') }, (request, reply) => show(deps, request, reply))
  app.post(ONE, { ...erasing, bodyLimit: BODY_LIMIT }, (request) => redact(deps, request))
  app.delete(ONE, erasing, async (request, reply) => {
    await eraseEnded(deps, request, await find(deps, request))
    return reply.code(204).send()
  })
}

async function send(deps: MessagesDeps, request: FastifyRequest, reply: FastifyReply): Promise<MessageView> {
  const { logger, observe } = deps
  const startedAt = performance.now()
  const submission = toSubmission(deps, request)
  const accepted = await admit(deps, submission)
  observe?.onAccepted((performance.now() - startedAt) / 1000)
  const { id, replayed, limits } = accepted
  logger.debug({ ...toLogFields(request), message_id: id, replayed }, 'sms accepted')
  reply.code(201).headers(rateLimitHeaders(limits))
  if (replayed) reply.header('idempotent-replayed', 'true')
  return toSentView(accepted, submission)
}

/** Who may read the content gets it, and the audit log says so. */
async function show(deps: MessagesDeps, request: FastifyRequest, reply: FastifyReply): Promise<MessageView> {
  const { audit, logger } = deps
  const found = await find(deps, request)
  const { state, content } = found
  if (content === undefined || hasCode(found) || !allows(callerOf(request), 'content:read')) return toMessageView(found)
  reply.header('cache-control', 'no-store')
  await audit(request, { action: 'message.content_read', target: { kind: 'message', id: state.id } })
  logger.info({ ...toLogFields(request), message_id: state.id }, 'message content read')
  return toMessageView(found, true)
}

async function redact(deps: MessagesDeps, request: FastifyRequest): Promise<MessageView> {
  const form = formOf(request)
  const found = await find(deps, request)
  if (given(form, 'Status') !== undefined) throw refuseAs(30409, 'The message cannot be canceled: it is not scheduled')
  if (form.get('Body') !== '') throw refuseAs(20422, 'A message can only be changed to have an empty Body')
  await eraseEnded(deps, request, found)
  return toMessageView(await find(deps, request))
}

/** A message that is erased before it is sent is never sent, so that is refused here as Twilio does. */
async function eraseEnded(deps: MessagesDeps, request: FastifyRequest, { state }: FoundMessage): Promise<void> {
  const status = toTwilioStatus(state)
  if (status === 'queued' || status === 'sending') {
    throw refuseAs(20009, `The message ${toSid('SM', state.id)} cannot be erased while it is ${status}`)
  }
  const { tenantId } = callerOf(request)
  await erase(deps, { tenantId, id: state.id, traceId: traceOf(request) })
  await deps.audit(request, { action: 'message.erased', target: { kind: 'message', id: state.id } })
}

async function find(deps: MessagesDeps, request: FastifyRequest): Promise<FoundMessage> {
  const id = readSid(request)
  if (id === undefined) throw noResource()
  return await findMessage(deps, callerOf(request), id, { channel: 'sms', events: { limit: 1 } })
}

const readSid = ({ params }: FastifyRequest): MessageId | undefined =>
  parseSid('SM', (params as { sid: string }).sid.replace(/\.json$/, ''))
