/** Explains why a message stands where it stands, what is next, and what a person can do. Pure. */
import { type Action, actionsOf } from './actions.ts'
import type { Circumstances } from './circumstances.ts'
import { type Next, nextOf } from './next-event.ts'
import { type Reason, reasonsOf } from './reasons.ts'
import { type Situation, toSituation } from './situation.ts'
import { summaryOf } from './summary.ts'

export type Explanation = Readonly<{
  situation: Situation
  /** One sentence. */
  summary: string
  reasons: readonly Reason[]
  next?: Next
  actions: readonly Action[]
}>

export function explain(circumstances: Circumstances): Explanation {
  const situation = toSituation(circumstances)
  const next = nextOf(situation, circumstances)
  return {
    situation,
    summary: summaryOf(situation, circumstances),
    reasons: reasonsOf(situation, circumstances),
    ...(next && { next }),
    actions: actionsOf(situation, circumstances),
  }
}
