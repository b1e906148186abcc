/**
 * Finds out what would become of a message if it were sent now. The verdict is that of the send itself, which runs on
 * dependencies that change nothing; around it, everything that the send would meet is looked at on its own, so that all
 * problems are reported at once.
 */
import { isUserAddress } from '../../domain/directory/user-address.ts'
import type { CheckFailed } from '../../domain/email/checks.ts'
import type { ProviderStanding } from '../../domain/explanation/circumstances.ts'
import type { Counter, LimitStatus } from '../../domain/limits/limits.ts'
import { type Content, senderOf } from '../../domain/message/message.ts'
import type { NumberPlan } from '../../domain/message/number-plan.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import type { Addressed } from '../../domain/routing/routing.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { millis } from '../../lib/time.ts'
import type { NumberPlans } from '../../ports/number-plans.ts'
import type { Depth, Queue } from '../../ports/queue.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { senderProblem } from '../access/check-sender.ts'
import { sendQuotaExceeded } from '../access/quotas.ts'
import { unsendable } from '../access/unsendable.ts'
import { RateLimited, Refusal } from '../errors.ts'
import { type Accepted, findEarlierOrNext, type Submission, toCreated } from '../send/accept.ts'
import { type AdmitDeps, findSuppressed, recipientsSuppressed, senderRefused } from '../send/admit.ts'
import { depsFor } from '../send/choose-provider.ts'
import { findCounters } from '../send/find-counters.ts'
import { type ResolveDeps, type Resolved, resolveRoute } from '../send/resolve-route.ts'
import { unroutable } from '../send/unroutable.ts'
import { type ValidateDeps, validate } from '../send/validate.ts'
import {
  depthOf,
  type MessageQuotaStanding,
  messageQuotasOf,
  orUndefined,
  type QuotaStandingDeps,
  standingOf,
  statusesOf,
} from './standing.ts'

export type PreflightDeps = AdmitDeps &
  ResolveDeps &
  QuotaStandingDeps &
  Pick<ValidateDeps, 'inspector'> &
  Readonly<{ numberPlans: NumberPlans; queue: Pick<Queue, 'depth'> }>

/** What the send answers. */
export type SendVerdict = Readonly<{ kind: 'accepted'; accepted: Accepted } | { kind: 'refused'; refusal: Refusal }>

export type Preflight = Readonly<{
  verdict: SendVerdict
  /** Every refusal that holds now. Empty where the send repeats an earlier one, which is answered first. */
  refusals: readonly Refusal[]
  /** The check that the message would fail once accepted. */
  failure?: CheckFailed
  senderProblem?: FieldProblem
  suppressed: readonly FieldProblem[]
  limits: readonly LimitStatus[]
  quotas: readonly MessageQuotaStanding[]
  /** Missing while this process has not loaded the routes. */
  resolved?: Resolved
  /** Those of the route, in the order in which they are tried. */
  providers: readonly ProviderStanding[]
  /** Of the lane that it would wait in; missing while the queue cannot be read. */
  depth?: Depth
  /** Of the recipient's phone number. */
  plan?: NumberPlan
}>

/** `counters` are those besides the limits that were set; `send` runs the send on dependencies without effect. */
export type PreflightOptions = Readonly<{ counters?: readonly Counter[]; send: () => Promise<Accepted> }>

export async function preflight(
  deps: PreflightDeps,
  submission: Submission,
  { counters = [], send }: PreflightOptions,
): Promise<Preflight> {
  const { tenantId, content } = submission
  const [verdict, generation, found, suppressed, quotas, failure, plan, depth] = await Promise.all([
    verdictOf(send),
    findEarlierOrNext(deps, submission).catch(refusedAs(0)),
    countersOf(deps, submission),
    content.channel === 'email' ? findSuppressed(deps, tenantId, content) : [],
    messageQuotasOf(deps, tenantId),
    failureOf(deps, submission),
    planOf(deps, content),
    orUndefined(depthOf(deps, submission)),
  ])
  const limits = await statusesOf(deps, [...found, ...counters])
  const problem = senderProblem(deps, tenantId, content)
  const resolved = resolvedFor(deps, submission, typeof generation === 'number' ? generation : 0)
  const providers = resolved?.candidates.map(({ provider }) => standingOf(depsFor(deps, tenantId), provider)) ?? []
  const looked = {
    suppressed,
    limits,
    quotas,
    providers,
    ...omitUndefined({ senderProblem: problem, failure, resolved, plan, depth }),
  }
  const isRepeated = verdict.kind === 'accepted' && verdict.accepted.replayed
  const refusals = isRepeated ? [] : withVerdict(verdict, refusalsOf(deps, submission, looked))
  return { verdict, refusals, ...looked }
}

export async function verdictOf(send: () => Promise<Accepted>): Promise<SendVerdict> {
  try {
    return { kind: 'accepted', accepted: await send() }
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', refusal: error }
    throw error
  }
}

/** A key that was used with another payload is a refusal, which the verdict reports. */
const refusedAs =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (error instanceof Refusal) return value
    throw error
  }

const countersOf = async (deps: AdmitDeps, submission: Submission): Promise<readonly Counter[]> => {
  const { tenantId, accountId, user, content } = submission
  return findCounters(deps, { tenantId, accountId, to: content.to, user })
}

/** The checks of an email run when it is sent, and can fail after it was accepted. */
async function failureOf(deps: PreflightDeps, submission: Submission): Promise<CheckFailed | undefined> {
  const { tenantId, content } = submission
  if (content.channel !== 'email') return undefined
  const { id } = toCreated(deps, submission, 0).state
  // Whether a recipient is suppressed or known was looked up for the refusals.
  const validation = await validate(
    omitUndefined({ clock: deps.clock, inspector: deps.inspector }),
    { id, tenantId },
    content,
  )
  return validation.kind === 'invalid'
    ? { check: validation.check, code: validation.code, detail: validation.detail }
    : undefined
}

async function planOf({ numberPlans }: PreflightDeps, { channel, to }: Content): Promise<NumberPlan | undefined> {
  return channel === 'sms' && !isUserAddress(to) ? numberPlans.describe(to) : undefined
}

/** The provider of this very message, if its idempotency key decides its id. */
function resolvedFor(deps: PreflightDeps, submission: Submission, generation: number): Resolved | undefined {
  const { tenantId, content, idempotencyKey } = submission
  const { channel, kind, to } = content
  const id = idempotencyKey === undefined ? undefined : toCreated(deps, submission, generation).state.id
  const addressed: Addressed = { tenantId, channel, kind, to, ...omitUndefined({ from: senderOf(content) }) }
  try {
    return resolveRoute(deps, addressed, id)
  } catch (error) {
    if (error instanceof Unavailable) return undefined
    throw error
  }
}

type Looked = Pick<Preflight, 'senderProblem' | 'suppressed' | 'limits'>

/** In the order in which the send finds them. */
function refusalsOf(deps: AdmitDeps, submission: Submission, looked: Looked): readonly Refusal[] {
  const { tenantId, content } = submission
  const { senderProblem: problem, suppressed, limits } = looked
  const usedUp = deps.sendQuotas?.usedUp(tenantId)
  const reached = limits.filter(isReached)
  const refusals = [
    unsendable(deps, tenantId, content.channel),
    unroutable(deps, submission),
    problem && senderRefused(problem),
    usedUp && sendQuotaExceeded(usedUp),
    suppressed.length > 0 ? recipientsSuppressed(suppressed) : undefined,
    reached.length > 0 ? new RateLimited(limits, waitOf(reached)) : undefined,
  ]
  return refusals.filter((refusal) => refusal !== undefined)
}

export const isReached = ({ used, counter: { rule } }: LimitStatus): boolean => used >= rule.limit

const waitOf = (reached: readonly LimitStatus[]) => millis(Math.max(...reached.map(({ resetsIn }) => resetsIn)))

/** What only the send itself finds out, such as a deadline that has passed, comes first. */
const withVerdict = (verdict: SendVerdict, refusals: readonly Refusal[]): readonly Refusal[] =>
  verdict.kind === 'accepted' || refusals.some(({ code }) => code === verdict.refusal.code)
    ? refusals
    : [verdict.refusal, ...refusals]
