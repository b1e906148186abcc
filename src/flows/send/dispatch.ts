/**
 * Works on one job: does what the message's state asks for next. The job is only a hint and the log decides: appending
 * `HandoffAttempted` is the claim, and every outcome is in the log before the job is finished.
 */

import type { MessageState } from '../../domain/message/state.ts'
import { nextStep } from '../../domain/message/step.ts'
import { reconcileAt } from '../../domain/routing/unknown.ts'
import type { MemoryBudget } from '../../lib/memory-budget.ts'
import { type Soon, whenReady } from '../../lib/soon.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import type { Loaded } from '../../ports/event-log.ts'
import type { Disposition, Taken } from '../../ports/queue.ts'
import { reconcile } from '../receive/reconcile.ts'
import { advance, toSeen } from '../record.ts'
import { type AttemptDeps, attempt } from './attempt.ts'
import { ROUTES_WAIT, unknownRuleFor } from './find-route.ts'

/** `budget` bounds how much content this process holds in memory. */
export type DispatchDeps = AttemptDeps & Readonly<{ budget?: MemoryBudget }>

/** How long a large message waits when the budget is used up, plus or minus half. */
const BUDGET_WAIT = seconds(2)

const DONE: Disposition = { kind: 'done' }

/** Refuses content that counts in the budget. */
const SMALL_ONLY = (): boolean => false

/** Most content is too small to count. */
export function dispatch(deps: DispatchDeps, taken: Taken): Soon<Disposition> {
  const { budget, log } = deps
  const loading = log.load(taken.job.messageId, budget && SMALL_ONLY, taken)
  return whenReady(loading, (loaded) =>
    budget !== undefined && loaded?.contentSkipped === true
      ? dispatchLarge(deps, taken, budget)
      : proceed(deps, taken, loaded),
  )
}

async function dispatchLarge(deps: DispatchDeps, taken: Taken, budget: MemoryBudget): Promise<Disposition> {
  const { log, clock, dice } = deps
  let release: (() => void) | undefined
  try {
    const loaded = await log.load(taken.job.messageId, (size) => {
      release = budget.take(size)
      return release !== undefined
    })
    if (loaded?.contentSkipped === true) {
      return { kind: 'later', at: later(clock(), millis(BUDGET_WAIT * (0.5 + dice()))) }
    }
    return await proceed(deps, taken, loaded)
  } finally {
    release?.()
  }
}

function proceed(deps: DispatchDeps, taken: Taken, loaded: Loaded | undefined): Soon<Disposition> {
  // A job can arrive before its event. If the event follows, recovery queues the job again.
  if (loaded === undefined) return DONE

  const step = nextStep(loaded.event.state, deps.worker, deps.clock())
  switch (step.kind) {
    case 'done':
      return DONE
    case 'wait':
      return { kind: 'later', at: step.until }
    case 'expire':
      return expire(deps, loaded)
    case 'unknown':
    case 'reconcile':
      // The route decides what to do, so the routes must be loaded.
      if (deps.routes.of(loaded.event.state.tenantId) === undefined) {
        return { kind: 'later', at: later(deps.clock(), ROUTES_WAIT) }
      }
      return step.kind === 'unknown' ? recordUnknown(deps, loaded, taken) : reconcileJob(deps, loaded)
    case 'attempt':
      return attempt(deps, loaded, taken)
  }
}

async function reconcileJob(deps: DispatchDeps, loaded: Loaded): Promise<Disposition> {
  const at = await reconcile(deps, loaded)
  return at === undefined ? DONE : { kind: 'later', at }
}

async function expire(deps: DispatchDeps, loaded: Loaded): Promise<Disposition> {
  await advance(
    deps,
    toSeen(loaded),
    unlessAdvanced(loaded, ({ waitingSince, errorCode: code }) => ({
      fact: { kind: 'MessageExpired', ...(waitingSince !== undefined && code !== undefined && { code }) },
    })),
  )
  return DONE
}

/** The worker that began the attempt has died; `reconcile` finds out whether the provider has the message. */
async function recordUnknown(deps: DispatchDeps, loaded: Loaded, taken: Taken): Promise<Disposition> {
  const detail = 'the attempt was begun and its outcome never recorded'
  const { recorded } = await advance(
    deps,
    toSeen(loaded),
    unlessAdvanced(loaded, (state) => {
      const at = reconcileAt(state, unknownRuleFor(deps.routes, state), deps.clock())
      return {
        fact: { kind: 'HandoffUnknown', code: 'ABANDONED', detail, reconcileAt: at },
        jobAt: at,
        ends: taken,
      }
    }),
  )
  return { kind: recorded ? 'gone' : 'done' }
}

/** Another worker with the same job may have advanced the message already. */
const unlessAdvanced =
  <Decision>({ event }: Loaded, decide: (state: MessageState) => Decision) =>
  (state: MessageState): Decision | undefined =>
    state.attempt === event.state.attempt && state.phase === event.state.phase ? decide(state) : undefined
