/**
 * Erases what the messages of ended challenges say: a code is worth nothing by then, and yet would be
 * kept. Whom they were for can still be found, as with any message. Any number of processes may do it at
 * once; each step done twice is done once.
 */
import { instant, seconds } from '../../lib/time.ts'
import type { ChallengeRef, Challenges } from '../../ports/challenges.ts'
import { type EraseDeps, eraseContent } from '../admin/erase.ts'

export type EndOtpDeps = EraseDeps & Readonly<{ challenges: Challenges }>

const PAGE = 100
/** For so long it can be told what became of a challenge, and a call that is repeated finds it. */
const REMEMBERED = seconds(7 * 24 * 60 * 60)

/** Answers how many were ended. */
export async function endOtps(deps: EndOtpDeps): Promise<number> {
  for (let count = 0; ; ) {
    const refs = await deps.challenges.ended(deps.clock(), PAGE)
    const endings = await Promise.allSettled(refs.map((ref) => end(deps, ref)))
    // One that cannot be ended does not keep the others from it; it is tried again with the next ones.
    for (const ending of endings) if (ending.status === 'rejected') throw ending.reason
    count += refs.length
    if (refs.length < PAGE) return count
  }
}

async function end(deps: EndOtpDeps, ref: ChallengeRef): Promise<void> {
  const latest = await deps.log.latest(ref.id)
  // The call that began it may have gone no further, and then there is no message.
  if (latest !== undefined) await eraseContent(deps, { ...ref, traceId: latest.event.state.traceId })
  await deps.challenges.clear(ref, instant(deps.clock() - REMEMBERED))
}
