/**
 * Looks once more, before a message is sent, whether it may still go out: whoever it is for may have been removed
 * from the directory since. An address that was changed since does not matter: what was accepted is what is sent.
 */
import type { Content } from '../domain/message.ts'
import type { MessageState } from '../domain/state.ts'
import type { Recipients } from '../ports/recipients.ts'
import { Unavailable } from '../ports/unavailable.ts'

export type ValidateDeps = Readonly<{ recipients: Pick<Recipients, 'find'> }>

/** Why it may not. */
export type Invalid = Readonly<{ code: 'RECIPIENT_NOT_FOUND'; detail: string }>

export async function validate(
  { recipients }: ValidateDeps,
  { tenantId }: Pick<MessageState, 'tenantId'>,
  { recipientId: id }: Pick<Content, 'recipientId'>,
): Promise<Invalid | undefined> {
  if (id === undefined) return undefined
  try {
    if ((await recipients.find(tenantId, { id })) !== undefined) return undefined
    return { code: 'RECIPIENT_NOT_FOUND', detail: 'the recipient was removed from the directory' }
  } catch (error) {
    // Sending goes on while the directory is away: nobody can be removed from it then either.
    if (error instanceof Unavailable) return undefined
    throw error
  }
}
