/**
 * The status of a message in Twilio's words.
 *
 * | Pombo           | Twilio                                                  |
 * |-----------------|---------------------------------------------------------|
 * | queued          | queued                                                  |
 * | sending         | sending                                                 |
 * | sent            | sent                                                    |
 * | delivered       | delivered                                               |
 * | failed, expired | undelivered after a report of the provider, else failed |
 */
import type { MessageState } from '../message/state.ts'
import { isProviderOver, toStatus } from '../message/states.ts'

export type TwilioStatus = 'queued' | 'sending' | 'sent' | 'delivered' | 'undelivered' | 'failed'

export function toTwilioStatus(state: Pick<MessageState, 'handoffState' | 'providerState' | 'expired'>): TwilioStatus {
  const status = toStatus(state)
  switch (status) {
    case 'queued':
    case 'sending':
    case 'sent':
    case 'delivered':
      return status
    case 'failed':
    case 'expired':
      return isProviderOver(state.providerState) ? 'undelivered' : 'failed'
  }
}
