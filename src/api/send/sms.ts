/** Sending one SMS, and its status. */
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { MessageId } from '../../domain/ids.ts'
import type { SmsAddress } from '../../domain/message/message.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import { parseSmsRequest } from '../../domain/requests/sms-request.ts'
import type { Accepted } from '../../flows/send/accept.ts'
import { BY_SMS } from '../../flows/send/compose.ts'
import { instant } from '../../lib/time.ts'
import type { Api } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { IdempotencyHeaders } from '../http/idempotency-key.ts'
import { MESSAGE_ID, namedObject, responses } from '../http/schemas.ts'
import { skipBodyValidation } from '../http/validation.ts'
import { statusRoute } from './message-status.ts'
import {
  ACCEPTED,
  AcceptedMessage,
  CommonFields,
  IDEMPOTENT,
  SEND_ERRORS,
  type SendDeps,
  sendHandler,
  templateInsteadOf,
  toIsoCached,
} from './sending.ts'
import type { ChannelSpec } from './submission.ts'

export const SmsFields = {
  to: Type.Optional(Type.String({ description: 'A phone number in E.164 format.', examples: ['+5511987654321'] })),
  message: Type.Optional(
    Type.String({ description: 'The text, 1 to 1600 characters.', examples: ['Your parcel is on its way.'] }),
  ),
  template: templateInsteadOf('`message`'),
  sender_id: Type.Optional(Type.String({ description: '1 to 20 characters.', examples: ['Acme'] })),
  type: Type.Optional(Enums.SmsType({ description: 'Defaults to `sms`.' })),
  ...CommonFields,
}

export const SmsSend = namedObject('SendSmsRequest', SmsFields, {
  additionalProperties: false,
  examples: [
    { to: '+5511987654321', message: 'Your parcel is on its way.', idempotency_key: 'order-1138-shipped' },
    {
      recipient_external_id: 'user-42',
      template: { name: 'order-shipped', data: { order: 1138 } },
      idempotency_key: 'order-1138-shipped',
    },
  ],
})
export type SmsSend = Static<typeof SmsSend>
const schema = Compile(SmsSend)

export const SMS: ChannelSpec<SmsSend, SmsAddress, string> = {
  fields: SmsFields,
  parse: ({ maxParts }, request, composed) => {
    const sms = parseSmsRequest(request, maxParts, composed)
    return sms.kind === 'bad' ? sms : { kind: 'ok', content: sms.content, form: sms.segmentation }
  },
  wanted: BY_SMS,
  substitute: { to: '+10' as PhoneNumber, text: 'text' },
  mistyped: { to: '', message: '', recipient_id: '', recipient_external_id: '', template: { name: '' } },
}

const BODY_LIMIT = 64 * 1024

export function smsRoutes(app: Api, deps: SendDeps): void {
  const send = sendHandler(deps, SMS, schema, toResponse)

  app.post(
    '/v1/sms/send',
    { schema: SEND, onRequest: deps.guard('sms:send'), bodyLimit: BODY_LIMIT, validatorCompiler: skipBodyValidation },
    (request, reply) => send(request, reply, request.headers['idempotency-key']),
  )
  statusRoute(app, deps, 'sms')
}

function toResponse({ id, createdAt, segments, encoding }: Accepted): string {
  const at = toIsoCached(createdAt)
  return `{"id":"${id}","request_id":"${id}","status":"accepted","created_at":"${at}","accepted_at":"${at}","segments":${segments},"encoding":"${encoding}"}`
}

const AcceptedSms = namedObject('SendSmsAccepted', {
  ...AcceptedMessage.properties,
  segments: Type.Integer({ examples: [1] }),
  encoding: Enums.SmsEncoding(),
})

const EXAMPLE = JSON.parse(
  toResponse({
    id: MESSAGE_ID as MessageId,
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
  description: `Responds once the message is stored durably. ${IDEMPOTENT}`,
  headers: IdempotencyHeaders,
  body: Type.Unsafe<unknown>(SmsSend),
  response: responses({ 202: { description: ACCEPTED, schema: AcceptedSms, example: EXAMPLE } }, ...SEND_ERRORS),
}
