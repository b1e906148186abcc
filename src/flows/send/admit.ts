/**
 * Accepts a message if its route, sender, suppressions and limits allow it. A call that repeats an earlier one counts nothing
 * and gets the first answer, even when the limit is reached.
 */
import { fieldsNaming } from '../../domain/email/people.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Counter, LimitStatus } from '../../domain/limits/limits.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import type { Limiter } from '../../ports/limiter.ts'
import { type SenderDeps, senderProblem } from '../access/check-sender.ts'
import { unsendable } from '../access/unsendable.ts'
import type { UsableProvidersDeps } from '../access/usable-providers.ts'
import { RateLimited, type Refusal, refuse } from '../errors.ts'
import { type SuppressedDeps, suppressedOf } from '../receive/suppress.ts'
import { type AcceptDeps, type Accepted, accept, findEarlier, refuseOverQuota, type Submission } from './accept.ts'
import { type CounterDeps, findCounters } from './find-counters.ts'
import type { FindRouteDeps } from './find-route.ts'
import { unroutable } from './unroutable.ts'

export type AdmitDeps = AcceptDeps &
  UsableProvidersDeps &
  FindRouteDeps &
  SenderDeps &
  SuppressedDeps &
  CounterDeps &
  Readonly<{ limiter: Limiter }>

/** `limits` are those that apply to the message, if any does. */
export type Admitted = Accepted & Readonly<{ limits?: readonly LimitStatus[] }>

type AdmitOptions = Readonly<{
  /** Counters besides those of the limits that were set. */
  counters?: readonly Counter[]
  /** The counters of the user, if they were looked up already. */
  ofUser?: readonly Counter[]
  /** Does what takes long before anything is counted. Not called when the limits will refuse the message anyway. */
  prepare?: () => Promise<void>
  /** Stores the message; `accept` unless given. */
  store?: () => Promise<Accepted>
}>

const NO_OPTIONS: AdmitOptions = {}

export function admit(deps: AdmitDeps, submission: Submission, options = NO_OPTIONS): Promise<Admitted> {
  const { tenantId, content } = submission
  const refusal = unsendable(deps, tenantId, content.channel)
  if (refusal !== undefined) return Promise.reject(refusal)
  const missing = unroutable(deps, submission)
  if (missing !== undefined) return unlessRepeated(deps, submission, missing)
  const problem = content.from === undefined ? undefined : senderProblem(deps, tenantId, content)
  if (problem !== undefined) return unlessRepeated(deps, submission, senderRefused(problem))
  return content.channel === 'email'
    ? admitEmail(deps, submission, content, options)
    : admitWithinLimits(deps, submission, options)
}

async function admitEmail(
  deps: AdmitDeps,
  submission: Submission,
  content: EmailContent,
  options: AdmitOptions,
): Promise<Admitted> {
  const usedUp = deps.sendQuotas?.usedUp(submission.tenantId)
  if (usedUp !== undefined) return refuseOverQuota(deps, submission, usedUp)
  const suppressed = await findSuppressed(deps, submission.tenantId, content)
  if (suppressed.length > 0) return unlessRepeated(deps, submission, recipientsSuppressed(suppressed))
  return admitWithinLimits(deps, submission, options)
}

function admitWithinLimits(deps: AdmitDeps, submission: Submission, options: AdmitOptions): Promise<Admitted> {
  const { tenantId, accountId, user, content } = submission
  const { ofUser } = options
  const found = findCounters(deps, { tenantId, accountId, to: content.to, user, ofUser })
  return found instanceof Promise
    ? found.then((counters) => admitUnder(deps, submission, counters, options))
    : admitUnder(deps, submission, found, options)
}

/** Most messages are under no limit. */
function admitUnder(
  deps: AdmitDeps,
  submission: Submission,
  found: readonly Counter[],
  options: AdmitOptions,
): Promise<Admitted> {
  const counters = options.counters === undefined ? found : [...found, ...options.counters]
  if (counters.length > 0) return admitCounted(deps, submission, counters, options)
  return options.store === undefined ? accept(deps, submission) : options.store()
}

async function admitCounted(
  deps: AdmitDeps,
  submission: Submission,
  counters: readonly Counter[],
  { prepare, store = () => accept(deps, submission) }: AdmitOptions,
): Promise<Admitted> {
  // Nothing is counted or prepared for a message that will be refused.
  const usedUp = deps.sendQuotas?.usedUp(submission.tenantId)
  if (usedUp !== undefined) return refuseOverQuota(deps, submission, usedUp)
  if (prepare !== undefined && (await haveRoom(deps, counters))) await prepare()
  const admission = await deps.limiter.admit(counters, async () => {
    const value = await store()
    return { value, counts: !value.replayed }
  })
  const { limits } = admission
  if (admission.kind === 'admitted') return { ...admission.value, limits }
  const earlier = await findEarlierSoon(deps, submission)
  if (earlier === undefined) {
    deps.onLimited?.({ tenantId: submission.tenantId, channel: submission.content.channel })
    throw new RateLimited(limits, admission.retryAfter)
  }
  return { ...earlier, limits }
}

async function haveRoom({ limiter }: AdmitDeps, counters: readonly Counter[]): Promise<boolean> {
  const limits = await Promise.all(counters.map((counter) => limiter.status(counter)))
  return limits.every(({ used, counter: { rule } }) => used < rule.limit)
}

/** The fields that name a suppressed address. */
export async function findSuppressed(
  deps: SuppressedDeps,
  tenantId: TenantId,
  content: EmailContent,
): Promise<readonly FieldProblem[]> {
  const found = await suppressedOf(deps, tenantId, content)
  const addresses = new Set(found.map(({ address }) => address))
  return fieldsNaming(content, addresses).map((path) => ({ path, message: 'is suppressed' }))
}

export const senderRefused = (problem: FieldProblem): Refusal =>
  refuse('SENDER_NOT_ALLOWED', `The sender is not allowed: ${problem.path} ${problem.message}`, [problem])

export const recipientsSuppressed = (suppressed: readonly FieldProblem[]): Refusal =>
  refuse('RECIPIENT_SUPPRESSED', 'A recipient of this email is suppressed; see /v1/suppressions', suppressed)

/** The reason may be newer than the first call, so a repeated call still gets the first answer. */
async function unlessRepeated(deps: AdmitDeps, submission: Submission, refusal: Refusal): Promise<Admitted> {
  const earlier = await findEarlier(deps, submission)
  if (earlier !== undefined) return earlier
  throw refusal
}

/** How long a concurrent call may take to store its message. */
const CONCURRENT_CALL_MS = 50

/** The call that this one repeats may have taken the last slot of the limit and be about to store its message. */
async function findEarlierSoon(deps: AcceptDeps, submission: Submission): Promise<Accepted | undefined> {
  const earlier = await findEarlier(deps, submission)
  if (earlier !== undefined || submission.idempotencyKey === undefined) return earlier
  await new Promise((resolve) => setTimeout(resolve, CONCURRENT_CALL_MS))
  return findEarlier(deps, submission)
}
