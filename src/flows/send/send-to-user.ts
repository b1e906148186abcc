/**
 * Sends a text to a user id that has a limit. It goes to the phone of the recipient with that external id, or, without
 * one, to the simulator as `user:101`.
 */

import { toUserAddress } from '../../domain/directory/user-address.ts'
import type { AccountId, TenantId, TraceId } from '../../domain/ids.ts'
import type { SmsContent } from '../../domain/message/message.ts'
import type { SmsBody } from '../../domain/message/sms-body.ts'
import type { Recipients } from '../../ports/recipients.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { refuse } from '../errors.ts'
import { type AdmitDeps, type Admitted, admit } from './admit.ts'

export type SendToUserDeps = AdmitDeps & Readonly<{ recipients: Recipients }>

type UserMessage = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  userId: number
  body: SmsBody
  traceId: TraceId
}>

export async function sendToUser(deps: SendToUserDeps, message: UserMessage): Promise<Admitted> {
  const { tenantId, accountId, userId, body, traceId } = message
  const user = String(userId)
  if (deps.rules.counters([{ tenantId, scope: 'user', key: user }]).length === 0) {
    throw refuse('NOT_FOUND', 'No limit is set for this user')
  }
  const content = await toContent(deps, message)
  return admit(deps, { tenantId, accountId, lane: 'transactional', content, form: body, user, traceId })
}

/** The directory is unavailable, so the recipient is unknown. The log was not tried. */
export class DirectoryUnavailable extends Unavailable {}

function blameDirectory(error: unknown): never {
  throw error instanceof Unavailable
    ? new DirectoryUnavailable('the directory is unavailable', { cause: error })
    : error
}

async function toContent({ recipients }: SendToUserDeps, { tenantId, userId, body }: UserMessage): Promise<SmsContent> {
  const entry = await recipients.find(tenantId, { externalId: String(userId) }).catch(blameDirectory)
  const addressed =
    entry?.phone === undefined ? { to: toUserAddress(userId) } : { to: entry.phone, recipientId: entry.id }
  return { channel: 'sms', kind: 'sms', ...addressed, body: body.text, metadata: {}, tags: [] }
}
