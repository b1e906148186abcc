/**
 * Why a message would be refused for good, before anything of its call is stored. For a call that must be stored as a
 * whole or not at all; `admit` decides again.
 */
import { senderProblem } from '../access/check-sender.ts'
import { unsendable } from '../access/unsendable.ts'
import type { Refusal } from '../errors.ts'
import { findEarlier, type Submission } from './accept.ts'
import { type AdmitDeps, findSuppressed, recipientsSuppressed, senderRefused } from './admit.ts'
import { unroutable } from './unroutable.ts'

export async function foreseeRefusal(deps: AdmitDeps, submission: Submission): Promise<Refusal | undefined> {
  const { tenantId, content } = submission
  const refusal = unsendable(deps, tenantId, content.channel)
  if (refusal !== undefined) return refusal
  const found = unroutable(deps, submission) ?? ofSender(deps, submission) ?? (await ofRecipients(deps, submission))
  if (found === undefined) return undefined
  return (await findEarlier(deps, submission)) === undefined ? found : undefined
}

function ofSender(deps: AdmitDeps, { tenantId, content }: Submission): Refusal | undefined {
  const problem = senderProblem(deps, tenantId, content)
  return problem && senderRefused(problem)
}

async function ofRecipients(deps: AdmitDeps, { tenantId, content }: Submission): Promise<Refusal | undefined> {
  if (content.channel !== 'email') return undefined
  const suppressed = await findSuppressed(deps, tenantId, content)
  return suppressed.length === 0 ? undefined : recipientsSuppressed(suppressed)
}
