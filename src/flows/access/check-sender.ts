/** Whether a tenant may use the sender that a caller chose. The sender of a provider is the operator's and always allowed. */
import { judgeSender, type ListedSenders, type SenderVerdict, toListed } from '../../domain/access/sender-claims.ts'
import { toSender } from '../../domain/access/senders.ts'
import type { Tenant } from '../../domain/access/tenant.ts'
import { liveTenantOf } from '../../domain/access/test-mode.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Channel, Content } from '../../domain/message/message.ts'
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
  const claims = { listed: listedBy(tenants.list()), verified: domains.verified() }
  const tenant = { id: liveTenantOf(tenantId), hasList: tenants.of(tenantId)?.senders !== undefined }
  const verdict = judgeSender(sender, tenant, claims)
  return verdict === 'allowed' ? undefined : PROBLEMS[content.channel][verdict]
}

const PROBLEMS: Readonly<Record<Channel, Readonly<Record<Exclude<SenderVerdict, 'allowed'>, FieldProblem>>>> = {
  sms: {
    not_listed: { path: '/sender_id', message: 'is not among the senders of this tenant' },
    of_another: { path: '/sender_id', message: 'belongs to another tenant, or looks like a sender that does' },
  },
  email: {
    not_listed: {
      path: '/from',
      message: 'is neither among the senders of this tenant nor at a domain that it has verified',
    },
    of_another: { path: '/from', message: 'belongs to another tenant' },
  },
}

/** False where no sender is refused: no tenant has senders or a verified domain. */
export const mayBeRefused = (deps: SenderDeps, tenantId: TenantId): boolean =>
  !isLoaded(deps) ||
  deps.tenants.of(tenantId)?.senders !== undefined ||
  deps.domains.verified().size > 0 ||
  listedBy(deps.tenants.list()).holders.size > 0

const isLoaded = ({ tenants, domains }: SenderDeps): boolean => tenants.isLoaded() && domains.isLoaded()

const indexed = new WeakMap<readonly Tenant[], ListedSenders>()

/** Tenants are the same list until one of them changes, so most messages find them indexed. */
function listedBy(tenants: readonly Tenant[]): ListedSenders {
  const known = indexed.get(tenants)
  if (known !== undefined) return known
  const listed = toListed(tenants)
  indexed.set(tenants, listed)
  return listed
}
