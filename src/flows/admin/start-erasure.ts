/** Asks for the erasure of everything that was sent to one recipient. A worker does it: flows/run-erasures.ts. */
import { parseEmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import { type Erasure, toErasure } from '../../domain/message/erasure.ts'
import type { Recipient } from '../../domain/message/message.ts'
import type { Clock } from '../../lib/clock.ts'
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

/** Calls with the same `key` get the same erasure, also after it is complete, unless another of that recipient ran when they came. */
export type StartErasure = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  to: Recipient
  key: string | undefined
}>

export async function startErasure(deps: StartErasureDeps, wish: StartErasure): Promise<Erasure> {
  const { tenantId, accountId, to, key } = wish
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
      ...(await suppressionOf(deps, wish, requestedAt)),
    }),
  )
  if (erasure.toKey !== toKey)
    throw refuse('IDEMPOTENCY_MISMATCH', 'This idempotency key was used to erase another recipient; use a new key')
  return erasure
}

/** Asked now, because the address is not known any more later on. */
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
  return { suppression: { reason, ...(expiresAt === undefined ? {} : { until: expiresAt }) } }
}
