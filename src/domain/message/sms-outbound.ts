/**
 * `sms-outbound`: the texts that were sent to users. Unlike every integration event it has content, so it is published
 * only where an operator asks for it, and never for a one-time code.
 */
import { isUserAddress, userOf } from '../directory/user-address.ts'
import type { MessageEvent } from './events.ts'
import type { Content } from './message.ts'

export const SMS_OUTBOUND = 'sms-outbound'

export type SmsOutbound = Readonly<{ userId: number; message: string }>

const LARGEST_USER = 2 ** 31 - 1

/** Whether with this event an SMS was handed to a provider. What we learn about it later changes nothing. */
export const isSmsSent = ({ fact, at, state }: MessageEvent): boolean =>
  state.channel === 'sms' && fact.kind === 'HandoffAccepted' && state.handedOffAt === at

/** Undefined for a message that was not sent to a user by a numeric id. */
export function toSmsOutbound(content: Content): SmsOutbound | undefined {
  if (content.channel !== 'sms' || content.otp !== undefined) return undefined
  const { to, recipientExternalId = isUserAddress(to) ? userOf(to) : '', body } = content
  const userId = /^(?:0|[1-9]\d*)$/.test(recipientExternalId) ? Number(recipientExternalId) : Number.NaN
  return userId <= LARGEST_USER ? { userId, message: body } : undefined
}
