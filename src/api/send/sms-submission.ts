/** What a caller says to send one SMS. */
import { type Static, Type } from 'typebox'
import type { SmsAddress } from '../../domain/message/message.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import { parseSmsRequest } from '../../domain/requests/sms-request.ts'
import { BY_SMS } from '../../flows/send/compose.ts'
import type { Medium } from './submission.ts'
import { CommonFields, templateInPlaceOf } from './submission-fields.ts'

export const SmsFields = {
  to: Type.Optional(Type.String({ description: 'A phone number in E.164.', examples: ['+5511987654321'] })),
  message: Type.Optional(
    Type.String({ description: '1 to 1600 characters.', examples: ['Your parcel is on its way.'] }),
  ),
  template: templateInPlaceOf('`message`'),
  sender_id: Type.Optional(Type.String({ description: '1 to 20 characters.', examples: ['Acme'] })),
  type: Type.Optional(Type.Enum(['sms', 'flash_sms'], { description: '`sms` unless said otherwise.' })),
  ...CommonFields,
}

export const SmsSend = Type.Object(SmsFields, {
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

export const SMS: Medium<SmsSend, SmsAddress, string> = {
  fields: SmsFields,
  parse: ({ maxParts }, request, composed) => {
    const sms = parseSmsRequest(request, maxParts, composed)
    return sms.kind === 'bad' ? sms : { kind: 'ok', content: sms.content, form: sms.segmentation }
  },
  wanted: BY_SMS,
  standIn: { to: '+10' as PhoneNumber, text: 'text' },
  garbled: { to: '', message: '', recipient_id: '', recipient_external_id: '', template: { name: '' } },
}
