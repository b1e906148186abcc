/**
 * Resends a message if its sender is still allowed and the limits admit it. A resend counts like a send, for its tenant,
 * account, recipient and user. Only a resend of a code as such counts against the limit on one-time codes.
 */

import { isUserAddress, userOf } from '../../domain/directory/user-address.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Counter, LimitOwner, LimitStatus } from '../../domain/limits/limits.ts'
import type { Content } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Recipients } from '../../ports/recipients.ts'
import { mayBeRefused, type SenderDeps, senderProblem } from '../access/check-sender.ts'
import { RateLimited, Refusal, refuse } from '../errors.ts'
import { type CounterDeps, findCounters } from './find-counters.ts'
import { contentErased, findResendable, type Resend, type ResendDeps, resend } from './resend.ts'

export type AdmitResendDeps = ResendDeps &
  CounterDeps &
  SenderDeps &
  Readonly<{ limiter: Limiter; recipients: Recipients }>

/** `overrideLimits` skips the limits of the tenant, or by `operator` all, and counts nothing in them. */
export type LimitedResend = Resend & Readonly<{ overrideLimits: false | LimitOwner }>

/** The state at the start of the new cycle, and the limits that were checked. */
export type AdmittedResend = Readonly<{ state: MessageState; limits: readonly LimitStatus[] }>

/** `others` are counters besides those of the limits that were set. */
export async function admitResend(
  deps: AdmitResendDeps,
  request: LimitedResend,
  others: readonly Counter[] = [],
): Promise<AdmittedResend> {
  if (mayBeRefused(deps, request.tenantId)) await checkSender(deps, request)
  const counters = [...(await countersFor(deps, request)), ...others]
  if (counters.length === 0) return { state: await resend(deps, request), limits: [] }

  const admission = await deps.limiter.admit(counters, async () => {
    const value = await resend(deps, request).catch(toRefusal)
    return { value, counts: !(value instanceof Refusal) }
  })
  const { limits } = admission
  if (admission.kind === 'limited') {
    const { tenantId, channel } = (await findResendable(deps, request)).event.state
    deps.onLimited?.({ tenantId, channel })
    throw new RateLimited(limits, admission.retryAfter)
  }
  if (admission.value instanceof Refusal) throw admission.value
  return { state: admission.value, limits }
}

/** The sender may have been taken away since. An erased message is refused later. */
async function checkSender(deps: AdmitResendDeps, request: Resend): Promise<void> {
  const { tenantId } = (await findResendable(deps, request)).event.state
  const content = (await deps.log.load(request.id))?.content
  const problem = content && senderProblem(deps, tenantId, content)
  if (problem === undefined) return
  throw refuse('SENDER_NOT_ALLOWED', `The sender of the message is no longer allowed: it ${problem.message}`)
}

async function countersFor(deps: AdmitResendDeps, request: LimitedResend): Promise<readonly Counter[]> {
  const { overrideLimits } = request
  if (overrideLimits === 'operator') return []
  const counters = await resendCounters(deps, request)
  return overrideLimits === 'tenant' ? counters.filter(({ setBy }) => setBy === 'operator') : counters
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
export async function findUser(
  { recipients }: Readonly<{ recipients: Pick<Recipients, 'find'> }>,
  tenantId: TenantId,
  { to, recipientId, recipientExternalId }: Content,
): Promise<string | undefined> {
  if (recipientExternalId !== undefined) return recipientExternalId
  if (isUserAddress(to)) return userOf(to)
  return recipientId && (await recipients.find(tenantId, { id: recipientId }))?.externalId
}
