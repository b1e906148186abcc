/**
 * Erases the content of messages whose challenges have ended: the code is useless by then. The recipient can still be
 * searched. Every step is idempotent, so several processes may run it.
 */
import { instant, seconds } from '../../lib/time.ts'
import type { ChallengeRef, Challenges } from '../../ports/challenges.ts'
import { type EraseDeps, eraseContent } from '../admin/erase.ts'

export type EndOtpDeps = EraseDeps & Readonly<{ challenges: Challenges }>

const PAGE = 100
/** How long an ended challenge can be looked up, and found by a repeated call. */
const REMEMBERED = seconds(7 * 24 * 60 * 60)

/** Returns the number of challenges ended. */
export async function endOtps(deps: EndOtpDeps): Promise<number> {
  for (let count = 0; ; ) {
    const refs = await deps.challenges.ended(deps.clock(), PAGE)
    const endings = await Promise.allSettled(refs.map((ref) => end(deps, ref)))
    // A failure does not stop the others; it is retried with the next page.
    for (const ending of endings) if (ending.status === 'rejected') throw ending.reason
    count += refs.length
    if (refs.length < PAGE) return count
  }
}

async function end(deps: EndOtpDeps, ref: ChallengeRef): Promise<void> {
  const latest = await deps.log.latest(ref.id)
  // The call that started it may have crashed before storing the message.
  if (latest !== undefined) await eraseContent(deps, { ...ref, traceId: latest.event.state.traceId })
  await deps.challenges.clear(ref, instant(deps.clock() - REMEMBERED))
}
