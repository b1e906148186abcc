/** Keeps mail from going where it bounces for good, or where it is not wanted. */
import { type EmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import { type Suppression, suppressionUntil } from '../../domain/email/suppression.ts'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import { Unavailable } from '../../ports/unavailable.ts'

export type SuppressDeps = Readonly<{ suppressions: Pick<Suppressions, 'add'>; clock: Clock }>

export type Unwelcome = Readonly<{
  tenantId: TenantId
  address: EmailAddress
  reason: 'hard_bounce' | 'complaint'
  messageId: MessageId
}>

export async function suppress({ suppressions, clock }: SuppressDeps, unwelcome: Unwelcome): Promise<void> {
  const createdAt = clock()
  const expiresAt = suppressionUntil(unwelcome.reason, createdAt)
  const address = toComparableAddress(unwelcome.address)
  await suppressions.add({ ...unwelcome, address, createdAt, ...(expiresAt === undefined ? {} : { expiresAt }) })
}

export type SuppressedDeps = Readonly<{ suppressions: Pick<Suppressions, 'find'>; clock: Clock }>

/**
 * Those whom a mail would go to and must not. Sending goes on while nobody can be asked: what is suppressed is found
 * when it is accepted, or when it is sent, or bounces once more.
 */
export async function suppressedOf(
  { suppressions, clock }: SuppressedDeps,
  tenantId: TenantId,
  content: EmailContent,
): Promise<readonly Suppression[]> {
  try {
    return await suppressions.find(tenantId, addressesOf(content).map(toComparableAddress), clock())
  } catch (error) {
    if (error instanceof Unavailable) return []
    throw error
  }
}

/** Everybody who gets it, the one it is for first. */
export const addressesOf = ({ to, cc = [], bcc = [] }: EmailContent): readonly EmailAddress[] => [
  to,
  ...[...cc, ...bcc].map(({ address }) => address),
]
