/**
 * Sends a message again if the limits admit it. A resend counts like a send of the same message: for its tenant, its
 * account, its recipient and its user. The limit on generating one-time codes is not asked, because no code is made.
 */

import { isUserAddress, userOf } from '../../domain/directory/user-address.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Counter, Standing } from '../../domain/limits/limits.ts'
import type { Content } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Recipients } from '../../ports/recipients.ts'
import { RateLimited, Refusal } from '../errors.ts'
import type { RecordDeps } from '../record.ts'
import { type CounterDeps, countersOf } from './limit-counters.ts'
import { contentErased, findResendable, type Resend, resend } from './resend.ts'

export type AdmitResendDeps = RecordDeps & CounterDeps & Readonly<{ limiter: Limiter; recipients: Recipients }>

/** `overrideLimits` neither asks the limits nor counts for them. */
export type LimitedResend = Resend & Readonly<{ overrideLimits: boolean }>

/** The state the new cycle begins with, and where the limits stand that were asked. */
export type AdmittedResend = Readonly<{ state: MessageState; standings: readonly Standing[] }>

export async function admitResend(deps: AdmitResendDeps, wish: LimitedResend): Promise<AdmittedResend> {
  const counters = wish.overrideLimits ? [] : await resendCounters(deps, wish)
  if (counters.length === 0) return { state: await resend(deps, wish), standings: [] }

  const admission = await deps.limiter.admit(counters, async () => {
    const value = await resend(deps, wish).catch(toRefusal)
    return { value, counts: !(value instanceof Refusal) }
  })
  const { standings } = admission
  if (admission.kind === 'limited') throw new RateLimited(standings, admission.retryAfter)
  if (admission.value instanceof Refusal) throw admission.value
  return { state: admission.value, standings }
}

/** As a value, because a limiter may count an act that throws. */
function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

/** Refuses what cannot be resent before any limit is asked: a 409 says more than a 429. */
async function resendCounters(deps: AdmitResendDeps, wish: Resend): Promise<readonly Counter[]> {
  const scopes = deps.rules.scopes(wish.tenantId)
  if (scopes.size === 0) return []
  const { tenantId, accountId } = (await findResendable(deps, wish)).event.state
  if (!scopes.has('recipient') && !scopes.has('user')) return countersOf(deps, { tenantId, accountId })

  const content = (await deps.log.load(wish.id))?.content
  if (content === undefined) throw contentErased()
  const user = scopes.has('user') ? await findUser(deps, tenantId, content) : undefined
  return countersOf(deps, { tenantId, accountId, to: content.to, user })
}

/** What the tenant calls the recipient: as the caller named them, or as the directory has them now. */
async function findUser(
  { recipients }: AdmitResendDeps,
  tenantId: TenantId,
  { to, recipientId, recipientExternalId }: Content,
): Promise<string | undefined> {
  if (recipientExternalId !== undefined) return recipientExternalId
  if (isUserAddress(to)) return userOf(to)
  return recipientId && (await recipients.find(tenantId, { id: recipientId }))?.externalId
}
