/**
 * An attempt whose outcome nobody knows: ask the provider where it can be asked, and otherwise do
 * what the route says. Until then the message is held, never sent again on a guess.
 */
import { nextPoll } from '../domain/polling.ts'
import type { Route } from '../domain/routing.ts'
import type { MessageState } from '../domain/state.ts'
import type { Instant } from '../domain/time.ts'
import type { Loaded } from '../ports/event-log.ts'
import type { LookupResult } from '../ports/provider.ts'
import type { AttemptDeps } from './attempt.ts'
import { enter } from './berths.ts'
import { afterwards, type Decision, elsewhere } from './decide.ts'
import { advance, toSeen } from './record.ts'
import { doubtOf, routeTaken } from './routes.ts'
import { settle } from './settle.ts'

export type ReconcileDeps = Omit<AttemptDeps, 'timeout' | 'worker'>

/** When to look again, or undefined once the doubt is gone. */
export async function reconcile(deps: ReconcileDeps, loaded: Loaded): Promise<Instant | undefined> {
  const { state } = loaded.event
  // A question is a call as any other: a provider that hangs must not hold all hands by those either.
  const entry = state.provider === undefined ? undefined : enter(deps, state, { name: state.provider })
  if (entry?.kind === 'full') return entry.until
  const answer = await lookup(deps, loaded).finally(entry?.leave)
  if (answer.kind === 'found') {
    await settle(deps, answer.receipt, 'lookup')
    return undefined
  }
  const route = routeTaken(deps.routes, state)
  const decide = answer.kind === 'absent' ? again(deps, route, ABSENT) : byPolicy(deps, state, route)
  if (decide === undefined) return nextPoll(state.updatedAt, deps.clock())

  await advance(deps, toSeen(loaded), (newest) =>
    newest.attempt === state.attempt && newest.phase === 'doubt' ? decide(newest) : undefined,
  )
  return undefined
}

const ABSENT = { code: 'NOT_RECEIVED', detail: 'the provider says that it never got the attempt' }
const UNANSWERED = { code: 'UNKNOWN_OUTCOME', detail: 'the outcome stayed unknown for as long as the route waits' }

async function lookup(deps: ReconcileDeps, { event: { state }, content }: Loaded): Promise<LookupResult> {
  const { id: messageId, cycle, attempt, provider: name, attemptedAt } = state
  const provider = name === undefined ? undefined : deps.providers.get(name)
  const ref = { messageId, cycle, attempt }
  const known = {
    ...(content === undefined ? {} : { content }),
    ...(attemptedAt === undefined ? {} : { attemptedAt }),
  }
  return (await provider?.lookup?.(ref, deps.ids.attemptId(ref), known)) ?? { kind: 'undetermined' }
}

type Decide = (state: MessageState) => Decision
type Reason = typeof ABSENT

const again =
  (deps: ReconcileDeps, route: Route | undefined, reason: Reason): Decide =>
  (state) =>
    afterwards(deps, state, route, reason)

/** Undefined means to hold: a receipt, a later look-up or a person decides. */
function byPolicy(deps: ReconcileDeps, state: MessageState, route: Route | undefined): Decide | undefined {
  switch (doubtOf(deps.routes, state).policy) {
    case 'hold':
      return undefined
    case 'resend':
      return again(deps, route, UNANSWERED)
    case 'failover':
      return route && ((newest) => elsewhere(deps, newest, route, UNANSWERED))
  }
}
