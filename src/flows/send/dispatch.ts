/**
 * Works on one job: whatever the message's state asks for next. The job is only a hint, the log
 * decides; winning the append of `HandoffAttempted` is the claim, and every outcome is in the log
 * before the job is given up.
 */

import type { MessageState } from '../../domain/message/state.ts'
import { nextStep } from '../../domain/message/step.ts'
import { reconcileAt } from '../../domain/routing/unknown.ts'
import type { MemoryBudget } from '../../lib/memory-budget.ts'
import { type Instant, later, millis, seconds } from '../../lib/time.ts'
import type { Loaded } from '../../ports/event-log.ts'
import type { Taken } from '../../ports/queue.ts'
import { reconcile } from '../receive/reconcile.ts'
import { advance, toSeen } from '../record.ts'
import { type AttemptDeps, attempt } from './attempt.ts'
import { later as again, type Disposition, DONE, GONE } from './disposition.ts'
import { UNROUTED, unknownOf } from './routes.ts'

/** `cargo` is how much content this process may have in hand, where that is bounded. */
export type DispatchDeps = AttemptDeps & Readonly<{ budget?: MemoryBudget }>

/** How long a message waits for which there is no room, give or take the half. */
const CROWDED = seconds(2)

export async function dispatch(deps: DispatchDeps, taken: Taken): Promise<Disposition> {
  const { budget, log, clock, dice } = deps
  if (budget === undefined) return proceed(deps, taken, await log.load(taken.job.messageId))
  let unload: (() => void) | undefined
  try {
    const loaded = await log.load(taken.job.messageId, (weight) => {
      unload = budget.take(weight)
      return unload !== undefined
    })
    if (loaded?.contentSkipped === true) return again(later(clock(), millis(CROWDED * (0.5 + dice()))))
    return await proceed(deps, taken, loaded)
  } finally {
    unload?.()
  }
}

async function proceed(deps: DispatchDeps, taken: Taken, loaded: Loaded | undefined): Promise<Disposition> {
  // A job without its event is spare: should the event still come, repair queues it again.
  if (loaded === undefined) return DONE

  const step = nextStep(loaded.event.state, deps.worker, deps.clock())
  switch (step.kind) {
    case 'done':
      return DONE
    case 'wait':
      return again(step.until)
    case 'expire':
      await expire(deps, loaded)
      return DONE
    case 'unknown':
    case 'reconcile':
      // Its route decides on it, and must be known for that.
      if (deps.routes.of(loaded.event.state.tenantId) === undefined) return again(later(deps.clock(), UNROUTED))
      return step.kind === 'unknown' ? unknown(deps, loaded, taken) : laterOr(await reconcile(deps, loaded))
    case 'attempt':
      return attempt(deps, loaded, taken)
  }
}

const laterOr = (at: Instant | undefined): Disposition => (at === undefined ? DONE : again(at))

async function expire(deps: DispatchDeps, loaded: Loaded): Promise<void> {
  await advance(
    deps,
    toSeen(loaded),
    unlessMoved(loaded, ({ waitingSince, errorCode: code }) => ({
      fact: { kind: 'MessageExpired', ...(waitingSince !== undefined && code !== undefined && { code }) },
    })),
  )
}

/** Whoever began the attempt is gone; whether the provider has the message is for `reconcile` to find out. */
async function unknown(deps: DispatchDeps, loaded: Loaded, taken: Taken): Promise<Disposition> {
  const detail = 'the attempt was begun and its outcome never recorded'
  const { recorded } = await advance(
    deps,
    toSeen(loaded),
    unlessMoved(loaded, (state) => {
      const at = reconcileAt(state, unknownOf(deps.routes, state), deps.clock())
      return {
        fact: { kind: 'HandoffUnknown', code: 'ABANDONED', detail, reconcileAt: at },
        jobAt: at,
        ends: taken,
      }
    }),
  )
  // The job goes with the event, once the next one is queued.
  return recorded ? GONE : DONE
}

/** Another worker that got hold of the same job may have done it already. */
const unlessMoved =
  <Decision>({ event }: Loaded, decide: (state: MessageState) => Decision) =>
  (state: MessageState): Decision | undefined =>
    state.attempt === event.state.attempt && state.phase === event.state.phase ? decide(state) : undefined
