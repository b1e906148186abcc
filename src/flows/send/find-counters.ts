/** Finds the limits that apply to a message: those of its tenant, account, recipient or user. */
import type { AccountId, TenantId } from '../../domain/ids.ts'
import type { Counter, LimitScope } from '../../domain/limits/limits.ts'
import type { Channel, Recipient } from '../../domain/message/message.ts'
import type { KnownKey, LimitRules } from '../../ports/limit-rules.ts'
import type { Sealer } from '../../ports/sealer.ts'

export type CounterDeps = Readonly<{
  rules: LimitRules
  blind: Sealer['blind']
  /** Called for a send or resend that limits have refused. */
  onLimited?: (send: Readonly<{ tenantId: TenantId; channel: Channel }>) => void
}>

/** The subjects of a message's limits. `user` is the recipient's external id, if known, `ofUser` the user's counters. */
type LimitSubject = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  to?: Recipient | undefined
  user?: string | undefined
  ofUser?: readonly Counter[] | undefined
}>

/** A promise only where the limits of the user have to be looked up. */
export function findCounters(
  deps: CounterDeps,
  subject: LimitSubject,
): readonly Counter[] | Promise<readonly Counter[]> {
  const { tenantId, user, ofUser } = subject
  const scopes = deps.rules.scopes(tenantId)
  if (scopes.size === 0) return []
  const known = deps.rules.counters([...scopes].flatMap((scope) => keyOf(deps, subject, scope) ?? []))
  if (user === undefined || !scopes.has('user')) return known
  if (ofUser !== undefined) return [...known, ...ofUser]
  return deps.rules.ofUser(tenantId, user).then((found) => [...known, ...found])
}

/** Hashing a recipient is expensive, so it happens only for tenants with recipient limits. */
function keyOf({ blind }: CounterDeps, subject: LimitSubject, scope: LimitScope): KnownKey | undefined {
  const { tenantId, accountId, to } = subject
  switch (scope) {
    case 'tenant':
      return { tenantId, scope, key: tenantId }
    case 'account':
      return { tenantId, scope, key: accountId }
    case 'recipient':
      return to && { tenantId, scope, key: blind(tenantId, to) }
    case 'user':
      return undefined
  }
}
