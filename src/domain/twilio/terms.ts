/** What a message that was sent through Twilio's API keeps of the request, besides the fields that every message has. */
import type { HmacSha1State } from '../../lib/hmac-sha1.ts'

export type TwilioTerms = Readonly<{
  /** The account that sent it. */
  accountSid: string
  messagingServiceSid?: string
  /** In seconds: a repeated call asks for the same period, which then ends later. */
  validityPeriod?: number
  /** Signs its status callbacks as the auth token of the request does. Only with a callback. */
  signing?: HmacSha1State
}>

/** What a repeated call repeats: the auth token may have been rotated since. */
export const toAskedTerms = ({ messagingServiceSid, validityPeriod }: TwilioTerms): object => ({
  messagingServiceSid,
  validityPeriod,
})
