/** Finds the limits that apply to a message: those of its tenant, account, recipient or user. */
import type { AccountId, TenantId } from '../../domain/ids.ts'
import type { Counter, LimitKey, LimitScope } from '../../domain/limits/limits.ts'
import type { Recipient } from '../../domain/message/message.ts'
import type { LimitRules } from '../../ports/limit-rules.ts'
import type { Sealer } from '../../ports/sealer.ts'

export type CounterDeps = Readonly<{ rules: LimitRules; blind: Sealer['blind'] }>

/** The subjects of a message's limits. `user` is the recipient's external id, if known. */
type LimitSubject = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  to?: Recipient | undefined
  user?: string | undefined
}>

export function findCounters(deps: CounterDeps, subject: LimitSubject): readonly Counter[] {
  const { tenantId } = subject
  const scopes = deps.rules.scopes(tenantId)
  if (scopes.size === 0) return []
  const keys = [...scopes].flatMap((scope): LimitKey[] => {
    const key = keyOf(deps, subject, scope)
    return key === undefined ? [] : [{ tenantId, scope, key }]
  })
  return deps.rules.counters(keys)
}

/** Hashing a recipient is expensive, so it happens only for tenants with recipient limits. */
function keyOf({ blind }: CounterDeps, subject: LimitSubject, scope: LimitScope): string | undefined {
  const { tenantId, accountId, to, user } = subject
  switch (scope) {
    case 'tenant':
      return tenantId
    case 'account':
      return accountId
    case 'recipient':
      return to && blind(tenantId, to)
    case 'user':
      return user
  }
}
