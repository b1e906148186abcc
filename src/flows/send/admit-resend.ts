/**
 * Resends a message if the limits admit it. A resend counts like a send, for its tenant, account, recipient and user.
 * It does not count against the limit on one-time codes, because it generates none.
 */

import { isUserAddress, userOf } from '../../domain/directory/user-address.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Counter, LimitStatus } from '../../domain/limits/limits.ts'
import type { Content } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Recipients } from '../../ports/recipients.ts'
import { RateLimited, Refusal } from '../errors.ts'
import type { RecordDeps } from '../record.ts'
import { type CounterDeps, findCounters } from './find-counters.ts'
import { contentErased, findResendable, type Resend, resend } from './resend.ts'

export type AdmitResendDeps = RecordDeps & CounterDeps & Readonly<{ limiter: Limiter; recipients: Recipients }>

/** `overrideLimits` skips the limits and counts nothing. */
export type LimitedResend = Resend & Readonly<{ overrideLimits: boolean }>

/** The state at the start of the new cycle, and the limits that were checked. */
type AdmittedResend = Readonly<{ state: MessageState; limits: readonly LimitStatus[] }>

export async function admitResend(deps: AdmitResendDeps, request: LimitedResend): Promise<AdmittedResend> {
  const counters = request.overrideLimits ? [] : await resendCounters(deps, request)
  if (counters.length === 0) return { state: await resend(deps, request), limits: [] }

  const admission = await deps.limiter.admit(counters, async () => {
    const value = await resend(deps, request).catch(toRefusal)
    return { value, counts: !(value instanceof Refusal) }
  })
  const { limits } = admission
  if (admission.kind === 'limited') throw new RateLimited(limits, admission.retryAfter)
  if (admission.value instanceof Refusal) throw admission.value
  return { state: admission.value, limits }
}

/** Returned as a value, because a limiter may count an act that throws. */
function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

/** Checks whether the message can be resent before checking limits: a 409 is more useful than a 429. */
async function resendCounters(deps: AdmitResendDeps, request: Resend): Promise<readonly Counter[]> {
  const scopes = deps.rules.scopes(request.tenantId)
  if (scopes.size === 0) return []
  const { tenantId, accountId } = (await findResendable(deps, request)).event.state
  if (!scopes.has('recipient') && !scopes.has('user')) return findCounters(deps, { tenantId, accountId })

  const content = (await deps.log.load(request.id))?.content
  if (content === undefined) throw contentErased()
  const user = scopes.has('user') ? await findUser(deps, tenantId, content) : undefined
  return findCounters(deps, { tenantId, accountId, to: content.to, user })
}

/** The recipient's external id: as the caller gave it, or as the directory has it now. */
async function findUser(
  { recipients }: AdmitResendDeps,
  tenantId: TenantId,
  { to, recipientId, recipientExternalId }: Content,
): Promise<string | undefined> {
  if (recipientExternalId !== undefined) return recipientExternalId
  if (isUserAddress(to)) return userOf(to)
  return recipientId && (await recipients.find(tenantId, { id: recipientId }))?.externalId
}
