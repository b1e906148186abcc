/** The health of a provider: the most severe condition that applies. */
import { PROVIDERS_TEXTS } from '../../texts/providers.ts'
import { toShare } from '../../ui/numbers.ts'
import type { Tone } from '../../ui/parts.tsx'
import type { Provider } from './data.ts'
import { tally } from './tally.ts'

const T = PROVIDERS_TEXTS.health

export type Health = Readonly<{ tone: Tone; label: string; reason: string }>

const FEW = 5
/** A single failed call is normal. */
const IN_A_ROW = 3
const ALARMING = 0.2

export function healthOf({ breaker, connections, recent }: Provider): Health {
  if (breaker.state === 'open') {
    return breaker.paused_at === null ? { tone: 'bad', ...T.open } : { tone: 'warn', ...T.paused }
  }
  if (breaker.state === 'half_open') return { tone: 'warn', ...T.halfOpen }
  if (connections !== null && connections.wanted > 0 && connections.up < connections.wanted) {
    return connections.up === 0 ? { tone: 'bad', ...T.disconnected } : { tone: 'warn', ...T.partlyConnected }
  }
  if (breaker.consecutive_failures >= IN_A_ROW) {
    return { tone: 'warn', label: T.failing.label, reason: T.failing.reason(breaker.consecutive_failures) }
  }
  if (recent === null) return { tone: 'quiet', ...T.noData }
  const { messages, finished, delivered } = tally(recent.statuses)
  if (finished >= FEW && delivered / finished < 1 - ALARMING) {
    return { tone: 'warn', label: T.undelivered.label, reason: T.undelivered.reason(toShare(1 - delivered / finished)) }
  }
  return messages === 0 ? { tone: 'quiet', ...T.idle } : { tone: 'good', ...T.healthy }
}

export const isUnhealthy = ({ tone }: Health): boolean => tone === 'bad' || tone === 'warn'
