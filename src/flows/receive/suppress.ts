/**
 * Adds addresses to the suppression list after hard bounces and complaints, and finds the suppressed recipients of an
 * email.
 */
import { type EmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import { type Suppression, suppressionUntil } from '../../domain/email/suppression.ts'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import { Unavailable } from '../../ports/unavailable.ts'

type SuppressDeps = Readonly<{ suppressions: Pick<Suppressions, 'add'>; clock: Clock }>

type SuppressedAddress = Readonly<{
  tenantId: TenantId
  address: EmailAddress
  reason: 'hard_bounce' | 'complaint'
  messageId: MessageId
}>

export async function suppress({ suppressions, clock }: SuppressDeps, suppressed: SuppressedAddress): Promise<void> {
  const createdAt = clock()
  const expiresAt = suppressionUntil(suppressed.reason, createdAt)
  const address = toComparableAddress(suppressed.address)
  await suppressions.add({ ...suppressed, address, createdAt, ...omitUndefined({ expiresAt }) })
}

export type SuppressedDeps = Readonly<{ suppressions: Pick<Suppressions, 'find'>; clock: Clock }>

/**
 * The suppressed recipients of an email. Sending continues while the list is unavailable: a suppressed address is
 * checked when a message is accepted and when it is sent, and otherwise bounces once more.
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

/** All recipients, the main one first. */
export const addressesOf = ({ to, cc = [], bcc = [] }: EmailContent): readonly EmailAddress[] => [
  to,
  ...[...cc, ...bcc].map(({ address }) => address),
]
