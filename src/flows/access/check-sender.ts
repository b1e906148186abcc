/** Whether a tenant may use the sender that a caller chose. The sender of a provider is the operator's and always allowed. */
import { judgeSender, type SenderHolders, type SenderVerdict, toHolders } from '../../domain/access/sender-claims.ts'
import { toSender } from '../../domain/access/senders.ts'
import type { Tenant } from '../../domain/access/tenant.ts'
import { liveTenantOf } from '../../domain/access/test-mode.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Content } from '../../domain/message/message.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import type { SendingDomains } from '../../ports/sending-domains.ts'
import type { Tenants } from '../../ports/tenants.ts'
import { Unavailable } from '../../ports/unavailable.ts'

export type SenderDeps = Readonly<{
  tenants: Pick<Tenants, 'of' | 'list' | 'isLoaded'>
  domains: Pick<SendingDomains, 'verified' | 'isLoaded'>
}>

/** Undefined if it is allowed, and for a message without a sender of its own. */
export function senderProblem(deps: SenderDeps, tenantId: TenantId, content: Content): FieldProblem | undefined {
  if (content.from === undefined || !mayBeRefused(deps, tenantId)) return undefined
  if (!isLoaded(deps)) throw new Unavailable('the senders are not loaded yet')
  const sender = toSender(content)
  if (sender === undefined) return undefined
  const { tenants, domains } = deps
  const claims = { holders: holdersAmong(tenants.list()), verified: domains.verified() }
  const tenant = { id: liveTenantOf(tenantId), hasList: tenants.of(tenantId)?.senders !== undefined }
  const verdict = judgeSender(sender, tenant, claims)
  return verdict === 'allowed' ? undefined : { path: FIELD[content.channel], message: REASONS[verdict] }
}

const FIELD = { sms: '/sender_id', email: '/from' } as const

const REASONS: Readonly<Record<Exclude<SenderVerdict, 'allowed'>, string>> = {
  not_listed: 'is neither among the senders of this tenant nor at a domain that it has verified',
  of_another: 'belongs to another tenant',
}

/** False where no sender is refused: no tenant has senders or a verified domain. */
export const mayBeRefused = (deps: SenderDeps, tenantId: TenantId): boolean =>
  !isLoaded(deps) ||
  deps.tenants.of(tenantId)?.senders !== undefined ||
  deps.domains.verified().size > 0 ||
  holdersAmong(deps.tenants.list()).size > 0

const isLoaded = ({ tenants, domains }: SenderDeps): boolean => tenants.isLoaded() && domains.isLoaded()

const indexed = new WeakMap<readonly Tenant[], SenderHolders>()

/** Tenants are the same list until one of them changes, so most messages find them indexed. */
function holdersAmong(tenants: readonly Tenant[]): SenderHolders {
  const known = indexed.get(tenants)
  if (known !== undefined) return known
  const holders = toHolders(tenants)
  indexed.set(tenants, holders)
  return holders
}
