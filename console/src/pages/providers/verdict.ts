/** How a provider is, in one word: the worst that is true of it. */
import { TEXTS } from '../../texts.ts'
import { toShare } from '../../ui/numbers.ts'
import type { Tone } from '../../ui/parts.tsx'
import type { Provider } from './data.ts'
import { tally } from './tally.ts'

const T = TEXTS.providers.verdicts

export type Verdict = Readonly<{ tone: Tone; word: string; why: string }>

const FEW = 5
/** One call that failed is everyday. */
const IN_A_ROW = 3
const ALARMING = 0.2

export function verdictOf({ breaker, connections, recent }: Provider): Verdict {
  if (breaker.state === 'open') {
    return { tone: 'bad', ...(breaker.consecutive_failures === 0 ? T.openByHand : T.open) }
  }
  if (breaker.state === 'half_open') return { tone: 'warn', ...T.trying }
  if (connections !== null && connections.wanted > 0 && connections.up < connections.wanted) {
    return connections.up === 0 ? { tone: 'bad', ...T.cut } : { tone: 'warn', ...T.partlyCut }
  }
  if (breaker.consecutive_failures >= IN_A_ROW) {
    return { tone: 'warn', word: T.failing.word, why: T.failing.why(breaker.consecutive_failures) }
  }
  if (recent === null) return { tone: 'quiet', ...T.unseen }
  const { messages, finished, delivered } = tally(recent.statuses)
  if (finished >= FEW && delivered / finished < 1 - ALARMING) {
    return { tone: 'warn', word: T.losing.word, why: T.losing.why(toShare(1 - delivered / finished)) }
  }
  return messages === 0 ? { tone: 'quiet', ...T.idle } : { tone: 'good', ...T.well }
}

export const isInTrouble = ({ tone }: Verdict): boolean => tone === 'bad' || tone === 'warn'
