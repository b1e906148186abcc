/**
 * Takes a message in if the limits let it. A call that repeats an earlier one counts nothing, and gets
 * its first answer also where nothing more would be admitted.
 */
import { fieldsNaming } from '../../domain/email/people.ts'
import type { Counter, Standing } from '../../domain/limits/limits.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import type { Limiter } from '../../ports/limiter.ts'
import { RateLimited, refuse } from '../errors.ts'
import { type SuppressedDeps, suppressedOf } from '../receive/suppress.ts'
import { type AcceptDeps, type Accepted, accept, findEarlier, type Submission } from './accept.ts'
import { type CounterDeps, countersOf } from './limit-counters.ts'

export type AdmitDeps = AcceptDeps & SuppressedDeps & CounterDeps & Readonly<{ limiter: Limiter }>

/** `standings` are those of the limits that were asked; most messages are under none. */
export type Admitted = Accepted & Readonly<{ standings: readonly Standing[] }>

/** `also` are counters beside those that operators have set. */
export async function admit(deps: AdmitDeps, submission: Submission, also: readonly Counter[] = []): Promise<Admitted> {
  const suppressed = await findSuppressed(deps, submission)
  if (suppressed.length > 0) return findEarlierOf(deps, submission, suppressed)
  const { tenantId, accountId, user } = submission
  const counters = [...countersOf(deps, { tenantId, accountId, to: submission.content.to, user }), ...also]
  if (counters.length === 0) return { ...(await accept(deps, submission)), standings: [] }

  const admission = await deps.limiter.admit(counters, async () => {
    const value = await accept(deps, submission)
    return { value, counts: !value.replayed }
  })
  const { standings } = admission
  if (admission.kind === 'admitted') return { ...admission.value, standings }
  const earlier = await findEarlierSoon(deps, submission)
  if (earlier === undefined) throw new RateLimited(standings, admission.retryAfter)
  return { ...earlier, standings }
}

/** The fields that name somebody who gets no more mail. */
async function findSuppressed(deps: AdmitDeps, { tenantId, content }: Submission): Promise<readonly FieldProblem[]> {
  if (content.channel !== 'email') return []
  const found = await suppressedOf(deps, tenantId, content)
  const addresses = new Set(found.map(({ address }) => address))
  return fieldsNaming(content, addresses).map((path) => ({ path, message: 'is suppressed' }))
}

/** An address may have been suppressed since: a call that is repeated is told what it was told at first. */
async function findEarlierOf(
  deps: AdmitDeps,
  submission: Submission,
  suppressed: readonly FieldProblem[],
): Promise<Admitted> {
  const earlier = await findEarlier(deps, submission)
  if (earlier !== undefined) return { ...earlier, standings: [] }
  throw refuse('RECIPIENT_SUPPRESSED', 'A recipient of this email is suppressed; see /v1/suppressions', suppressed)
}

/** How long a call that came at the same time may take until its message can be found. */
const UNDER_WAY_MS = 50

/** The call that this one repeats may hold the last place, and be about to store its message. */
async function findEarlierSoon(deps: AcceptDeps, submission: Submission): Promise<Accepted | undefined> {
  const earlier = await findEarlier(deps, submission)
  if (earlier !== undefined || submission.idempotencyKey === undefined) return earlier
  await new Promise((resolve) => setTimeout(resolve, UNDER_WAY_MS))
  return findEarlier(deps, submission)
}
