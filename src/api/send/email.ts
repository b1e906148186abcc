/** Sending one email, and its status. */
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { MessageId } from '../../domain/ids.ts'
import { MAIL } from '../../domain/message/message.ts'
import { type MailTexts, parseEmailRequest } from '../../domain/requests/email-request.ts'
import type { Accepted } from '../../flows/send/accept.ts'
import { BY_EMAIL } from '../../flows/send/compose.ts'
import { instant } from '../../lib/time.ts'
import { type Api, callerOf } from '../http/context.ts'
import { IdempotencyHeaders } from '../http/idempotency-key.ts'
import type { RenderingDeps } from '../http/large-templates.ts'
import { MESSAGE_ID, responses } from '../http/schemas.ts'
import { skipBodyValidation } from '../http/validation.ts'
import { EmailFields, EmailSend } from './email-fields.ts'
import { statusRoute } from './message-status.ts'
import {
  ACCEPTED,
  AcceptedMessage,
  IDEMPOTENT,
  SEND_ERRORS,
  type SendDeps,
  sendHandler,
  toIsoCached,
} from './sending.ts'
import type { ChannelSpec } from './submission.ts'

const schema = Compile(EmailSend)

export const EMAIL: ChannelSpec<EmailSend, EmailAddress, MailTexts> = {
  fields: EmailFields,
  parse: (_deps, request, composed) => {
    const email = parseEmailRequest(request, composed)
    return email.kind === 'bad' ? email : { kind: 'ok', content: email.content, form: MAIL }
  },
  wanted: BY_EMAIL,
  substitute: { to: 'stand-in@pombo.invalid' as EmailAddress, text: { subject: 'subject', html: 'html' } },
  mistyped: { to: '', subject: '', html: '', recipient_id: '', recipient_external_id: '', template: { name: '' } },
}

/** Attachments in base64 and the largest html, with a margin. */
const BODY_LIMIT = 8 * 1024 * 1024

export function emailRoutes(app: Api, deps: SendDeps & RenderingDeps): void {
  app.post(
    '/v1/email/send',
    {
      schema: SEND,
      onRequest: deps.guard('email:send'),
      bodyLimit: BODY_LIMIT,
      validatorCompiler: skipBodyValidation,
    },
    (request, reply) =>
      deps.withRenderer(callerOf(request), (renderer) => {
        const send = sendHandler({ ...deps, renderer }, EMAIL, schema, toResponse)
        return send(request, reply, request.headers['idempotency-key'])
      }),
  )
  statusRoute(app, deps, 'email')
}

function toResponse({ id, createdAt }: Pick<Accepted, 'id' | 'createdAt'>): string {
  const at = toIsoCached(createdAt)
  return `{"id":"${id}","request_id":"${id}","status":"accepted","created_at":"${at}","accepted_at":"${at}"}`
}

const EXAMPLE = JSON.parse(toResponse({ id: MESSAGE_ID as MessageId, createdAt: instant(Date.UTC(2030, 0, 31, 12)) }))

const SEND = {
  operationId: 'sendEmail',
  tags: ['email'],
  summary: 'Send an email',
  description: `Responds once the message is stored durably. The html is checked for scripts before it is sent. ${IDEMPOTENT}`,
  headers: IdempotencyHeaders,
  body: Type.Unsafe<unknown>(EmailSend),
  response: responses(
    { 202: { description: ACCEPTED, schema: AcceptedMessage, example: EXAMPLE } },
    ...SEND_ERRORS,
    'REQUEST_TIMEOUT',
    'RECIPIENT_SUPPRESSED',
  ),
}
