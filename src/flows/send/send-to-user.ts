/**
 * Sends a text to a user id that has a limit. It goes to the phone of the recipient with that external id, or, without
 * one, to the simulator as `user:101`.
 */

import type { DirectoryEntry } from '../../domain/directory/recipient.ts'
import { toUserAddress } from '../../domain/directory/user-address.ts'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import type { Origin, SmsContent } from '../../domain/message/message.ts'
import type { SmsBody } from '../../domain/message/sms-body.ts'
import type { Recipients } from '../../ports/recipients.ts'
import { refuse } from '../errors.ts'
import { type AdmitDeps, type Admitted, admit } from './admit.ts'

export type SendToUserDeps = AdmitDeps & Readonly<{ recipients: Recipients }>

type UserMessage = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  userId: number
  body: SmsBody
  origin: Origin
}>

export async function sendToUser(deps: SendToUserDeps, message: UserMessage): Promise<Admitted> {
  const { tenantId, accountId, userId, body, origin } = message
  const user = String(userId)
  // At the same time: where copies are shared, one round trip gets both.
  const [ofUser, entry] = await Promise.all([
    deps.rules.ofUser(tenantId, user),
    deps.recipients.find(tenantId, { externalId: user }),
  ])
  if (ofUser.length === 0) throw refuse('NOT_FOUND', 'No limit is set for this user')
  const content = toContent(message, entry)
  return admit(deps, { tenantId, accountId, lane: 'transactional', content, form: body, user, ...origin }, { ofUser })
}

function toContent({ userId, body }: UserMessage, entry: DirectoryEntry | undefined): SmsContent {
  const addressed =
    entry?.phone === undefined
      ? { to: toUserAddress(userId) }
      : { to: entry.phone, recipientId: entry.id, recipientExternalId: String(userId) }
  return { channel: 'sms', kind: 'sms', ...addressed, body: body.text, metadata: {}, tags: [] }
}
