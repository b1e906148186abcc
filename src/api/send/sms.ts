/** Sending one SMS, and asking what became of it. */
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { MessageId } from '../../domain/ids.ts'
import type { Accepted } from '../../flows/send/accept.ts'
import { instant } from '../../lib/time.ts'
import type { Api } from '../http/context.ts'
import { IdempotencyHeaders } from '../http/idempotency-key.ts'
import { answers } from '../http/schemas.ts'
import { leaveBody } from '../http/validation.ts'
import { statusRoute } from '../messages/message-status.ts'
import { REFUSED, REPEATED, type SendDeps, STORED, Stored, sendBy, toIsoAgain } from './sending.ts'
import { SMS, SmsSend } from './sms-submission.ts'

const BODY_LIMIT = 64 * 1024
const schema = Compile(SmsSend)

export function smsRoutes(app: Api, deps: SendDeps): void {
  const send = sendBy(deps, SMS, schema, toAnswer)

  app.post(
    '/v1/sms/send',
    { schema: SEND, onRequest: deps.guard('sms:send'), bodyLimit: BODY_LIMIT, validatorCompiler: leaveBody },
    (request, reply) => send(request, reply, request.headers['idempotency-key']),
  )
  statusRoute(app, deps, 'sms')
}

function toAnswer({ id, createdAt, segments, encoding }: Accepted): string {
  const at = toIsoAgain(createdAt)
  return `{"id":"${id}","request_id":"${id}","status":"accepted","created_at":"${at}","accepted_at":"${at}","segments":${segments},"encoding":"${encoding}"}`
}

const SmsAccepted = Type.Object({
  ...Stored.properties,
  segments: Type.Integer({ examples: [1] }),
  encoding: Type.Enum(['gsm7', 'ucs2']),
})

const ACCEPTED = JSON.parse(
  toAnswer({
    id: '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as MessageId,
    createdAt: instant(Date.UTC(2030, 0, 31, 12)),
    segments: 1,
    encoding: 'gsm7',
    replayed: false,
  }),
)

const SEND = {
  operationId: 'sendSms',
  tags: ['sms'],
  summary: 'Send an SMS',
  description: `Answers once the message is stored safely. ${REPEATED}`,
  headers: IdempotencyHeaders,
  body: Type.Unsafe<unknown>(SmsSend),
  response: answers({ 202: { description: STORED, schema: SmsAccepted, example: ACCEPTED } }, ...REFUSED),
}
