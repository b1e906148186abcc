/** Requests the erasure of everything sent to one recipient. A worker carries it out: flows/admin/run-erasures.ts. */
import { parseEmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import { type Erasure, toErasure } from '../../domain/message/erasure.ts'
import type { Recipient } from '../../domain/message/message.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Instant } from '../../lib/time.ts'
import type { Erasures } from '../../ports/erasures.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import type { Ids } from '../../ports/world.ts'
import { refuse } from '../errors.ts'

export type StartErasureDeps = Readonly<{
  erasures: Erasures
  log: Pick<EventLog, 'tip'>
  suppressions: Pick<Suppressions, 'find'>
  blind: Sealer['blind']
  clock: Clock
  ids: Ids
}>

/**
 * Calls with the same `key` get the same erasure, even after it is complete, unless another erasure of that recipient
 * was running.
 */
type StartErasure = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  to: Recipient
  key: string | undefined
}>

export async function startErasure(deps: StartErasureDeps, request: StartErasure): Promise<Erasure> {
  const { tenantId, accountId, to, key } = request
  const requestedAt = deps.clock()
  const toKey = deps.blind(tenantId, to)
  const erasure = await deps.erasures.start(
    toErasure({
      id: key === undefined ? deps.ids.erasureId(requestedAt) : deps.ids.keyedErasureId({ tenantId, accountId, key }),
      tenantId,
      accountId,
      toKey,
      channel: parseEmailAddress(to) === undefined ? 'sms' : 'email',
      requestedAt,
      through: await deps.log.tip(),
      ...(await suppressionOf(deps, request, requestedAt)),
    }),
  )
  if (erasure.toKey !== toKey)
    throw refuse('IDEMPOTENCY_MISMATCH', 'This idempotency key was used to erase another recipient; use a new key')
  return erasure
}

/** Looked up now, because the address is not stored. */
async function suppressionOf(
  { suppressions }: StartErasureDeps,
  { tenantId, to }: StartErasure,
  at: Instant,
): Promise<Pick<Erasure, 'suppression'>> {
  const address = parseEmailAddress(to)
  if (address === undefined) return {}
  const [found] = await suppressions.find(tenantId, [toComparableAddress(address)], at)
  if (found === undefined) return {}
  const { reason, expiresAt } = found
  return { suppression: omitUndefined({ reason, until: expiresAt }) }
}
