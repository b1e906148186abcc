/** Sending one mail, and asking what became of it. */
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { MessageId } from '../../domain/ids.ts'
import type { Accepted } from '../../flows/send/accept.ts'
import { instant } from '../../lib/time.ts'
import { type Api, callerOf } from '../http/context.ts'
import { IdempotencyHeaders } from '../http/idempotency-key.ts'
import type { BodiesDeps } from '../http/large-bodies.ts'
import type { TextsDeps } from '../http/large-texts.ts'
import { answers } from '../http/schemas.ts'
import { leaveBody } from '../http/validation.ts'
import { statusRoute } from '../messages/message-status.ts'
import { EMAIL, EmailSend } from './email-submission.ts'
import { REFUSED, REPEATED, type SendDeps, STORED, Stored, sendBy, toIsoAgain } from './sending.ts'

/** Attachments in base64 and the largest html, with some room. */
const BODY_LIMIT = 8 * 1024 * 1024
const schema = Compile(EmailSend)

export function emailRoutes(app: Api, deps: SendDeps & BodiesDeps & TextsDeps): void {
  app.post(
    '/v1/email/send',
    {
      schema: SEND,
      onRequest: [deps.guard('email:send'), deps.boundBody(BODY_LIMIT)],
      bodyLimit: BODY_LIMIT,
      validatorCompiler: leaveBody,
    },
    (request, reply) =>
      deps.withTexts(callerOf(request), (renderer) => {
        const send = sendBy({ ...deps, renderer }, EMAIL, schema, toAnswer)
        return send(request, reply, request.headers['idempotency-key'])
      }),
  )
  statusRoute(app, deps, 'email')
}

function toAnswer({ id, createdAt }: Pick<Accepted, 'id' | 'createdAt'>): string {
  const at = toIsoAgain(createdAt)
  return `{"id":"${id}","request_id":"${id}","status":"accepted","created_at":"${at}","accepted_at":"${at}"}`
}

const ACCEPTED = JSON.parse(
  toAnswer({
    id: '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as MessageId,
    createdAt: instant(Date.UTC(2030, 0, 31, 12)),
  }),
)

const SEND = {
  operationId: 'sendEmail',
  tags: ['email'],
  summary: 'Send an email',
  description: `Answers once the mail is stored safely. What its html holds is looked at before it is sent. ${REPEATED}`,
  headers: IdempotencyHeaders,
  body: Type.Unsafe<unknown>(EmailSend),
  response: answers(
    { 202: { description: STORED, schema: Stored, example: ACCEPTED } },
    ...REFUSED,
    'REQUEST_TIMEOUT',
    'RECIPIENT_SUPPRESSED',
  ),
}
