/** Messages as the API returns them, folded from facts as in the gateway. */
import type { MessageDetails } from '../../../src/api/messages/message-schemas.ts'
import { toDetails } from '../../../src/api/messages/views.ts'
import type { AttemptId, EventId, ProviderName, RouteId } from '../../../src/domain/ids.ts'
import type { Fact, MessageEvent } from '../../../src/domain/message/events.ts'
import { fold, type MessageState, toFirstState } from '../../../src/domain/message/state.ts'
import { isHandoffOver } from '../../../src/domain/message/states.ts'
import { instant } from '../../../src/lib/time.ts'
import { someMessage } from '../../../src/ports/samples.contract.ts'

const MESSAGE = someMessage({ createdAt: instant(1_000) })
const LATER = 2_000

/** An event, when it happened, and whether a report concerns the previous cycle or attempt. */
export type Step = Readonly<{ fact: Fact; at?: number; isOld?: boolean; isEarlier?: boolean }>

export const step = (fact: Fact): Step => ({ fact })

export const attempted = (provider: string): Step =>
  step({ kind: 'HandoffAttempted', provider: provider as ProviderName, routeId: 'r' as RouteId, owner: 'w' })
export const ACCEPTED = step({ kind: 'HandoffAccepted', providerMessageId: 'p', by: 'answer' })
export const RESENT = step({ kind: 'ResendRequested', by: 'resend' })

export type Events = readonly MessageEvent[]

/** The message as the API returns it after these steps. */
export function detailsAfter(
  steps: readonly Step[],
  first: MessageState = toFirstState(MESSAGE),
): [details: MessageDetails, events: Events] {
  const events = [toEvent(first, { kind: 'MessageCreated' }, first.cycle, first.attempt)]
  for (const { fact, at = LATER, isOld = false, isEarlier = false } of steps) {
    const { state } = events.at(-1) ?? { state: first }
    // A finished message gets no further attempts.
    if (fact.kind === 'HandoffAttempted' && isHandoffOver(state.handoffState)) continue
    const isReport = fact.kind.startsWith('Provider')
    const isOpening = fact.kind === 'ResendRequested'
    const cycle = Math.max(1, state.cycle + (isOpening ? 1 : 0) - (isReport && isOld ? 1 : 0))
    const before = isReport && isEarlier ? 1 : 0
    const attempt = Math.max(0, state.attempt - before) + (fact.kind === 'HandoffAttempted' ? 1 : 0)
    events.push(toEvent(fold(state, fact, { at: instant(at), cycle, attempt }), fact, cycle, attempt))
  }
  const state = events.at(-1)?.state ?? first
  const found = { state, content: undefined, events, first: 0, total: events.length }
  return [toDetails({ attemptId: () => 'a' as AttemptId }, found), events]
}

const toEvent = (state: MessageState, fact: Fact, cycle: number, attempt: number): MessageEvent => ({
  id: 'e' as EventId,
  cycle,
  attempt,
  at: state.updatedAt,
  traceId: MESSAGE.traceId,
  fact,
  state,
})
