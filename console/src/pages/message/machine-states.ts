/**
 * The states that a message passed through in a cycle. As in the gateway, only a higher rank applies, so late and
 * duplicate reports change nothing. Of an earlier cycle, a report that arrived after the resend counts too: it says what
 * became of that cycle.
 */
import type { MessageDetails, TimelineEvent } from '../../api/client.ts'

export type Machine = Readonly<{ current: string; passed: readonly string[] }>

type Source = Pick<MessageDetails, 'events' | 'cycle' | 'handoff_state' | 'provider_state'>

/**
 * A copy of the gateway's ranks: the API does not return the state after each event. A test compares them with the
 * gateway.
 */
const PROVIDER_STATES: Readonly<Record<string, readonly [state: string, rank: number]>> = {
  ProviderAccepted: ['accepted', 10],
  ProviderTimedOut: ['timed_out', 90],
  ProviderDelivered: ['delivered', 100],
  ProviderDropped: ['dropped', 100],
  ProviderBounced: ['bounced', 110],
  ProviderComplaint: ['complaint', 120],
}

/** The newest cycle by default, which ends where the API says. */
export const toHandoffMachine = (of: Source, cycle = of.cycle): Machine =>
  toMachine(handoffStates(of.events, cycle), cycle === of.cycle ? of.handoff_state : undefined)

export const toProviderMachine = (of: Source, cycle = of.cycle): Machine =>
  toMachine(providerStates(of.events, cycle), cycle === of.cycle ? of.provider_state : undefined)

function toMachine(visited: readonly string[], last = visited.at(-1) ?? ''): Machine {
  return { current: last, passed: visited.filter((state) => state !== last) }
}

const FAILURES: ReadonlySet<string> = new Set(['ValidationFailed', 'HandoffFailed', 'DeadLettered', 'MessageExpired'])

function handoffStates(events: readonly TimelineEvent[], cycle: number): readonly string[] {
  const visited = ['queued']
  let [newest, isUnknown] = [0, false]
  const go = (state: string): void => {
    if (visited.at(-1) !== state) visited.push(state)
  }
  for (const { event_type: kind, payload } of events) {
    if (payload.cycle !== cycle) continue
    const isOver = visited.at(-1) === 'handed_off' || visited.at(-1) === 'failed'
    const isUnresolved = visited.at(-1) === 'failed' && isUnknown
    if (kind === 'HandoffAccepted') {
      if (!isOver || isUnresolved) go('handed_off')
    } else if (payload.attempt < newest || (isOver && !(isUnresolved && kind === 'HandoffFailed'))) continue
    else if (kind === 'HandoffAttempted') {
      newest = payload.attempt
      isUnknown = false
      go('sending')
    } else if (kind === 'HandoffUnknown') isUnknown = true
    else if (kind === 'RetryScheduled') isUnknown = false
    else if (FAILURES.has(kind)) {
      isUnknown = payload['outcome'] === 'unknown'
      go('failed')
    }
  }
  return visited
}

function providerStates(events: readonly TimelineEvent[], cycle: number): readonly string[] {
  const visited = ['unknown']
  let [highest, newest] = [0, 0]
  for (const { event_type: kind, payload } of events) {
    if (kind === 'HandoffAttempted' && payload.cycle <= cycle) newest = payload.attempt
    if (payload.cycle !== cycle) continue
    // Of an earlier attempt, only a delivery counts.
    if (payload.attempt !== newest && kind !== 'ProviderDelivered') continue
    const [state, rank] = PROVIDER_STATES[kind] ?? []
    if (state === undefined || rank === undefined || rank <= highest) continue
    highest = rank
    visited.push(state)
  }
  return visited
}
