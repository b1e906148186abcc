/** Retention in memory, for tests. */
import { isPrunable } from '../../src/domain/message/retention.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { instant } from '../../src/lib/time.ts'
import type { Retention } from '../../src/ports/retention.ts'
import type { WebhookAttempts } from '../../src/ports/webhook-attempts.ts'
import type { MemoryEventLog } from './event-log.ts'
import type { MemoryMessageIndex } from './message-index.ts'
import type { MemoryWebhookDeliveries } from './webhook-deliveries.ts'

type MemoryStores = Readonly<{
  log: MemoryEventLog
  index: MemoryMessageIndex
  webhookDeliveries: MemoryWebhookDeliveries
  webhookAttempts: Pick<WebhookAttempts, 'erase'>
}>

export const memoryRetention = ({ log, index, webhookDeliveries, webhookAttempts }: MemoryStores): Retention => ({
  async prune(policy, now, limit) {
    const due = index
      .states()
      .filter((state) => isPrunable(policy, state, now))
      .toSorted((one, other) => one.createdAt - other.createdAt)
      .slice(0, limit)
    let count = 0
    for (const { id } of due) {
      // The index may lag behind the log.
      const newest = await log.latest(id)
      if (newest !== undefined && !isPrunable(policy, newest.event.state, now)) continue
      webhookDeliveries.remove(id)
      await webhookAttempts.erase(id)
      log.remove(id)
      count += Number(index.remove(id))
    }
    return count
  },

  async stored() {
    const created = index.states().map(({ createdAt }) => createdAt)
    const oldest = created.length === 0 ? undefined : instant(Math.min(...created))
    return omitUndefined({ messages: created.length, oldest })
  },
})
