/** What is ready, in one line per lane and tenant, with fair turns between the lines. */
import { fairTurns, type Turn } from '../../domain/message/fair-turns.ts'
import { LANE_WEIGHTS } from '../../ports/queue.ts'

export function fairQueues<Item extends Readonly<{ job: Turn }>>() {
  const lines = new Map<string, Item[]>()
  const turns = fairTurns(LANE_WEIGHTS)
  const nameOf = ({ lane, tenantId }: Turn): string => `${lane} ${tenantId}`
  const lineOf = (turn: Turn): Item[] => lines.get(nameOf(turn)) ?? []

  function update(turn: Turn, line: Item[]): void {
    if (line.length > 0) {
      lines.set(nameOf(turn), line)
      turns.add(turn.lane, turn.tenantId)
    } else {
      lines.delete(nameOf(turn))
      turns.remove(turn.lane, turn.tenantId)
    }
  }

  return {
    add(item: Item): void {
      const line = lineOf(item.job)
      line.push(item)
      update(item.job, line)
    },

    remove(item: Item): void {
      const rest = lineOf(item.job).filter((other) => other !== item)
      update(item.job, rest)
    },

    /** Takes the first of the line whose turn it is. */
    next(): Item | undefined {
      const turn = turns.next()
      if (turn === undefined) return undefined
      const line = lineOf(turn)
      const first = line.shift()
      update(turn, line)
      return first
    },
  }
}
