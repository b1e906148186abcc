/**
 * The two state machines of a message, and the status derived from them.
 *
 * | handoff (ours)     | rank | provider (theirs)  | rank |
 * |--------------------|------|--------------------|------|
 * | queued             |   10 | unknown            |    0 |
 * | sending            |   20 | accepted           |   10 |
 * | failed, unresolved |   90 | timed_out          |   90 |
 * | handed_off, failed |  100 | delivered, dropped |  100 |
 * |                    |      | bounced            |  110 |
 * |                    |      | complaint          |  120 |
 *
 * Order is by (cycle, rank) and only a higher one applies, so two states of equal rank never
 * flip-flop and what comes late or twice changes nothing. `failed` is unresolved while the outcome of
 * its last attempt is unknown (state.ts).
 */
const HANDOFF_RANK = { queued: 10, sending: 20, handed_off: 100, failed: 100 } as const
const PROVIDER_RANK = {
  unknown: 0,
  accepted: 10,
  timed_out: 90,
  delivered: 100,
  dropped: 100,
  bounced: 110,
  complaint: 120,
} as const

export type HandoffState = keyof typeof HANDOFF_RANK
export type ProviderState = keyof typeof PROVIDER_RANK
export const HANDOFF_STATES = Object.keys(HANDOFF_RANK) as readonly HandoffState[]
export const PROVIDER_STATES = Object.keys(PROVIDER_RANK) as readonly ProviderState[]

export const STATUSES = ['queued', 'sending', 'sent', 'delivered', 'failed', 'expired'] as const
export type Status = (typeof STATUSES)[number]

export const handoffRank = (state: HandoffState): number => HANDOFF_RANK[state]
export const providerRank = (state: ProviderState): number => PROVIDER_RANK[state]

// Not by rank: where states are read from a store, V8 would discard its optimized code at every such look-up.
export const isHandoffOver = (state: HandoffState): boolean => state === 'handed_off' || state === 'failed'
/** Final for now: a receipt may still replace `timed_out`, and a bounce may follow `delivered`. */
export const isProviderOver = (state: ProviderState): boolean => state !== 'unknown' && state !== 'accepted'

type StatusInputs = Readonly<{ handoffState: HandoffState; providerState: ProviderState; expired: boolean }>

/**
 * The provider's report takes precedence over our own state: a message that failed as unresolved may have been
 * delivered.
 */
export function toStatus({ handoffState, providerState, expired }: StatusInputs): Status {
  switch (providerState) {
    case 'delivered':
      return 'delivered'
    case 'bounced':
    case 'dropped':
    case 'complaint':
      return 'failed'
    case 'timed_out':
      return 'expired'
    case 'unknown':
    case 'accepted':
      return expired ? 'expired' : ofHandoff(handoffState)
  }
}

function ofHandoff(state: HandoffState): Status {
  switch (state) {
    case 'queued':
    case 'sending':
    case 'failed':
      return state
    case 'handed_off':
      return 'sent'
  }
}
