/**
 * Sets a limit. Where an operator has limited the same, a tenant may only go below that: both limits count, so a higher
 * one would change nothing, and the tenant should know. How many limits a tenant sets is bounded.
 */
import { type Counter, type LimitScope, type Rule, raises } from '../../domain/limits/limits.ts'
import type { Limit, LimitRules } from '../../ports/limit-rules.ts'
import { type SetupQuotaDeps, setupQuotaExceeded } from '../access/quotas.ts'
import { type Refusal, refuse } from '../errors.ts'

export type SetLimitDeps = SetupQuotaDeps & Readonly<{ rules: Pick<LimitRules, 'counters' | 'ofUser' | 'set'> }>

export async function setLimit(deps: SetLimitDeps, limit: Omit<Limit, 'version'>): Promise<Limit> {
  const above = limit.setBy === 'tenant' ? await operatorsRule(deps, limit) : undefined
  if (above !== undefined && raises(limit.rule, above)) throw exceedsOperator(limit.scope, above)
  // Only what the tenant sets counts against its quota.
  const most = limit.setBy === 'tenant' ? deps.quotasOf(limit.tenantId).limits : undefined
  const set = await deps.rules.set(limit, most)
  if (set === undefined) throw await setupQuotaExceeded(deps, limit.tenantId, 'limits')
  return set
}

/** What an operator set for the key, or by default for its scope. */
async function operatorsRule(deps: SetLimitDeps, limit: Omit<Limit, 'version'>): Promise<Rule | undefined> {
  const counters = await countersOf(deps, limit)
  return counters.find(({ setBy }) => setBy === 'operator')?.rule
}

function countersOf(
  { rules }: SetLimitDeps,
  { tenantId, scope, key }: Omit<Limit, 'version'>,
): readonly Counter[] | Promise<readonly Counter[]> {
  return scope === 'user' ? rules.ofUser(tenantId, key) : rules.counters([{ tenantId, scope, key }])
}

const exceedsOperator = (scope: LimitScope, { limit, window }: Rule): Refusal =>
  refuse(
    'FORBIDDEN',
    `An operator allows this ${scope} at most ${limit} messages in ${window / 1000} seconds; set a lower limit, or ask an operator`,
  )
