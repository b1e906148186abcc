/** Under which limits a message counts: those that operators have set for its tenant, account, recipient or user. */
import type { AccountId, TenantId } from '../../domain/ids.ts'
import type { Counter, LimitKey, LimitScope } from '../../domain/limits/limits.ts'
import type { Recipient } from '../../domain/message/message.ts'
import type { LimitRules } from '../../ports/limit-rules.ts'
import type { Sealer } from '../../ports/sealer.ts'

export type CounterDeps = Readonly<{ rules: LimitRules; blind: Sealer['blind'] }>

/** What the scopes of limits count by. `user` is what the tenant calls the recipient, where that is known. */
export type LimitSubject = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  to?: Recipient | undefined
  user?: string | undefined
}>

export function countersOf(deps: CounterDeps, subject: LimitSubject): readonly Counter[] {
  const { tenantId } = subject
  const scopes = deps.rules.scopes(tenantId)
  if (scopes.size === 0) return []
  const keys = [...scopes].flatMap((scope): LimitKey[] => {
    const key = keyOf(deps, subject, scope)
    return key === undefined ? [] : [{ tenantId, scope, key }]
  })
  return deps.rules.counters(keys)
}

/** The hash of a recipient is expensive, so it is computed only for tenants that limit recipients. */
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
