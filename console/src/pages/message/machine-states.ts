/**
 * The states that a message passed through in its newest cycle. As in the gateway, only a higher rank applies, so late
 * and duplicate reports change nothing.
 */
import type { MessageDetails } from '../../api/client.ts'

export type Machine = Readonly<{ current: string; passed: readonly string[] }>

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

export function toHandoffMachine({ events, cycle, handoff_state: current }: MessageDetails): Machine {
  const own = events.filter(({ payload }) => payload.cycle === cycle)
  const isAttempted = own.some(({ event_type }) => event_type === 'HandoffAttempted')
  const passed = ['queued', ...(isAttempted ? ['sending'] : [])]
  return { current, passed: passed.filter((state) => state !== current) }
}

export function toProviderMachine({ events, cycle, provider_state: current }: MessageDetails): Machine {
  let [highest, newest] = [0, 0]
  const passed = ['unknown']
  for (const { event_type, payload } of events) {
    if (event_type === 'HandoffAttempted') newest = payload.attempt
    // Of an earlier attempt, only a delivery counts.
    if (payload.attempt !== newest && event_type !== 'ProviderDelivered') continue
    const [state, rank] = PROVIDER_STATES[event_type] ?? []
    if (state === undefined || rank === undefined || payload.cycle !== cycle || rank <= highest) continue
    highest = rank
    passed.push(state)
  }
  return { current, passed: passed.filter((state) => state !== current) }
}
