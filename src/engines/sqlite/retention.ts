/** Retention in the embedded profile. */
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant } from '../../lib/time.ts'
import type { Retention } from '../../ports/retention.ts'
import { type Driver, remote } from './driver.ts'
import { fileAll } from './message-index.ts'
import type { Prunable } from './messages/pruning.ts'
import type { StoreMethods } from './store.ts'

/** Deletes messages while nothing can be appended to them; leaves out those that have changed since. */
export type DeleteMessages = (prunable: readonly Prunable[]) => Promise<number>

export function sqliteRetention(writer: Driver<StoreMethods>, deleteMessages: DeleteMessages): Retention {
  const [filing, table] = [remote(writer, 'index'), remote(writer, 'retention')]
  return {
    async prune(policy, now, limit) {
      await fileAll(filing)
      const prunable = await table.prunable(policy, now, limit)
      return prunable.length === 0 ? 0 : await deleteMessages(prunable)
    },

    async stored() {
      await fileAll(filing)
      const { messages, oldest } = await table.stored()
      return omitUndefined({ messages, oldest: oldest === undefined ? undefined : instant(oldest) })
    },
  }
}
