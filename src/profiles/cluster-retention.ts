/**
 * Retention in the cluster profile. The index finds the messages, and its row is deleted last: whatever is interrupted
 * is found again by the next round. The events go right before the row, when nothing else is left, because without them
 * the id may name a new message.
 */
import type { MessageId } from '../domain/ids.ts'
import { isPrunable, type RetentionPolicy } from '../domain/message/retention.ts'
import type { BrokerRetention } from '../engines/nats/retention.ts'
import type { DueMessage, IndexRetention } from '../engines/postgres/retention.ts'
import type { Instant } from '../lib/time.ts'
import type { Retention } from '../ports/retention.ts'

export type ClusterRetentionDeps = Readonly<{ index: IndexRetention; broker: BrokerRetention }>

export const clusterRetention = (deps: ClusterRetentionDeps): Retention => ({
  async prune(policy, now, limit) {
    const left = new Set<MessageId>()
    let count = 0
    while (count < limit) {
      const found = await deps.index.find(policy, now, limit - count + left.size)
      const due = found.filter(({ id }) => !left.has(id)).slice(0, limit - count)
      if (due.length === 0) break
      count += await remove(deps, policy, now, due)
      // What was not deleted is found again.
      for (const { id } of due) left.add(id)
    }
    return count
  },

  stored: () => deps.index.stored(),
})

/** The index may lag behind, so the log decides. */
async function remove(
  { index, broker }: ClusterRetentionDeps,
  policy: RetentionPolicy,
  now: Instant,
  due: readonly DueMessage[],
): Promise<number> {
  const seen = await broker.removeContents(due.map(idOf), (state) => !isPrunable(policy, state, now))
  const over = due.filter(({ id }) => seen.has(id))
  await index.removeDetails(over.map(idOf))
  await broker.removeEvents(seen)
  return index.remove(over)
}

const idOf = ({ id }: DueMessage): MessageId => id
