/** Ready jobs in one queue per lane and tenant, with fair turns between the queues. */
import { fairScheduler, type Turn } from '../../src/domain/message/fair-scheduler.ts'
import { LANE_WEIGHTS } from '../../src/ports/queue.ts'

export function fairQueues<Item extends Readonly<{ job: Turn }>>() {
  const queues = new Map<string, Item[]>()
  const turns = fairScheduler(LANE_WEIGHTS)
  const nameOf = ({ lane, tenantId }: Turn): string => `${lane} ${tenantId}`
  const queueOf = (turn: Turn): Item[] => queues.get(nameOf(turn)) ?? []

  function update(turn: Turn, queue: Item[]): void {
    if (queue.length > 0) {
      queues.set(nameOf(turn), queue)
      turns.add(turn.lane, turn.tenantId)
    } else {
      queues.delete(nameOf(turn))
      turns.remove(turn.lane, turn.tenantId)
    }
  }

  return {
    add(item: Item): void {
      const queue = queueOf(item.job)
      queue.push(item)
      update(item.job, queue)
    },

    remove(item: Item): void {
      const rest = queueOf(item.job).filter((other) => other !== item)
      update(item.job, rest)
    },

    /** Takes the first of the queue whose turn it is. */
    next(): Item | undefined {
      const turn = turns.next()
      if (turn === undefined) return undefined
      const queue = queueOf(turn)
      const first = queue.shift()
      update(turn, queue)
      return first
    },
  }
}
