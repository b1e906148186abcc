/** The positions of sinks in memory, for tests. */
import type { EventLog, Position } from '../../src/ports/event-log.ts'
import type { SinkClaim, SinkPositions } from '../../src/ports/sink-positions.ts'

export function memorySinkPositions(log: Pick<EventLog, 'tip'>): SinkPositions {
  const held = new Map<string, SinkClaim & Readonly<{ position: Position }>>()
  return {
    async claim(claim) {
      const tip = await log.tip()
      const last = held.get(claim.sink)
      if (last !== undefined && last.owner !== claim.owner && claim.now < last.until) return undefined
      const position = last?.position ?? tip
      held.set(claim.sink, { ...claim, position })
      return position
    },

    async advance(claim, position) {
      if (held.get(claim.sink)?.owner !== claim.owner) return false
      held.set(claim.sink, { ...claim, position })
      return true
    },
  }
}
