/** How providers, limits and quotas stand now. Only looks: nothing is counted, and no trial call is used up. */
import { MESSAGE_QUOTAS, type MessageQuota, type QuotasOf } from '../../domain/access/quotas.ts'
import type { ProviderStanding } from '../../domain/explanation/circumstances.ts'
import type { ProviderName, TenantId } from '../../domain/ids.ts'
import type { Counter, LimitStatus } from '../../domain/limits/limits.ts'
import type { Lane } from '../../domain/message/message.ts'
import { CLOSED } from '../../domain/routing/breaker.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Depth, Queue } from '../../ports/queue.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Usage } from '../../ports/usage.ts'
import type { SendQuotaDeps } from '../access/quotas.ts'
import { type ChooseProviderDeps, isDisconnected, permissionFor } from '../send/choose-provider.ts'

export type ProviderStandingDeps = Readonly<{
  providers: ChooseProviderDeps['providers']
  breakers: Pick<ChooseProviderDeps['breakers'], 'states'>
  clock: ChooseProviderDeps['clock']
}>

export function standingOf(deps: ProviderStandingDeps, name: ProviderName): ProviderStanding {
  const breaker = deps.breakers.states().get(name) ?? CLOSED
  const provider = deps.providers.get(name)
  if (provider === undefined) return { name, isConfigured: false, isConnected: false, breaker }
  const permission = permissionFor(deps, provider)
  const heldUntil = permission.kind === 'held' ? permission.until : undefined
  const isConnected = !isDisconnected(provider)
  return { name, isConfigured: true, isConnected, breaker, ...omitUndefined({ heldUntil }) }
}

export const statusesOf = (
  { limiter }: Readonly<{ limiter: Pick<Limiter, 'status'> }>,
  counters: readonly Counter[],
): Promise<readonly LimitStatus[]> => Promise.all(counters.map((counter) => limiter.status(counter)))

/** `limit` is infinite where there is no bound, `used` missing where it cannot be read now. */
export type MessageQuotaStanding = Readonly<{
  quota: MessageQuota
  limit: number
  used?: number
  isUsedUp: boolean
}>

export type QuotaStandingDeps = SendQuotaDeps & Readonly<{ quotasOf: QuotasOf; usage: Pick<Usage, 'measure'> }>

export async function messageQuotasOf(
  { quotasOf, usage, sendQuotas }: QuotaStandingDeps,
  tenantId: TenantId,
): Promise<readonly MessageQuotaStanding[]> {
  const { waiting, storedBytes } = (await orUndefined(usage.measure([tenantId])))?.get(tenantId) ?? {}
  const used = { waitingMessages: waiting, storedBytes }
  const [limits, usedUp] = [quotasOf(tenantId), sendQuotas?.usedUp(tenantId)]
  return MESSAGE_QUOTAS.map((quota) => ({
    quota,
    limit: limits[quota],
    isUsedUp: usedUp?.quota === quota,
    ...omitUndefined({ used: used[quota] }),
  }))
}

/** Of the tenant in the lane. */
export const depthOf = async (
  { queue }: Readonly<{ queue: Pick<Queue, 'depth'> }>,
  { tenantId, lane }: Readonly<{ tenantId: TenantId; lane: Lane }>,
): Promise<Depth | undefined> => (await queue.depth(tenantId)).find((depth) => depth.lane === lane)

/** For what an answer can do without while a store is unavailable. */
export async function orUndefined<Value>(looking: Promise<Value>): Promise<Value | undefined> {
  try {
    return await looking
  } catch (error) {
    if (error instanceof Unavailable) return undefined
    throw error
  }
}
