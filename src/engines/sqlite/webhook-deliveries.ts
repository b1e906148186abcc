/** The webhook deliveries of the embedded profile: changed with the log, listed on a connection of its own. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { WebhookDeliveries, WebhookDeliveryKey } from '../../ports/webhook-deliveries.ts'
import { toEndpoint } from '../shared/rows.ts'
import { toDeliveryCursor, toWebhookDelivery } from '../shared/webhook-delivery-rows.ts'
import type { Driver } from './driver.ts'
import type { SearchMethods } from './message-index.ts'
import type { StoreMethods } from './store.ts'
import type { DeliveryPosition } from './webhook-delivery-table.ts'

/** Rows changed per step: few enough not to block other users of the store. */
const STEP = 500

export const sqliteWebhookDeliveries = (
  writer: Driver<StoreMethods>,
  reader: Driver<SearchMethods>,
): WebhookDeliveries => ({
  enqueue: async (changed) => {
    if (changed.length > 0) await writer.call('enqueueDeliveries', changed)
  },

  take: async (at, until, max, each) =>
    (await writer.call('takeWebhookDeliveries', at, until, max, each)).map(({ delivery, endpoint }) =>
      omitUndefined({ delivery: toWebhookDelivery(delivery), endpoint: endpoint && toEndpoint(endpoint) }),
    ),

  complete: (held, result) => writer.call('completeDelivery', held, result),
  release: (key) => writer.call('releaseWebhookDelivery', key),

  async list(query) {
    const rows = await reader.call('listWebhookDeliveries', query)
    const page = rows.slice(0, query.limit)
    const last = rows.length > query.limit ? page.at(-1) : undefined
    return omitUndefined({
      webhookDeliveries: page.map(toWebhookDelivery),
      nextCursor: last && toDeliveryCursor(Number(last['updated_at']), Number(last['n'])),
    })
  },

  replay: ({ messageId, ...key }, since, at) =>
    messageId === undefined
      ? replayAll(writer, key, since, at)
      : writer.call('replayWebhookDelivery', { ...key, messageId }, since, at),

  async resume(key, at) {
    while (await writer.call('resumeWebhookDeliveries', key, at, STEP)) {
      // Repeat until none is left.
    }
  },

  forget: (before) => writer.call('forgetWebhookDeliveries', before, STEP),
})

async function replayAll(
  writer: Driver<StoreMethods>,
  key: Omit<WebhookDeliveryKey, 'messageId'>,
  since: number,
  at: number,
): Promise<number> {
  let count = 0
  for (let after: DeliveryPosition | undefined = [since, -1]; after !== undefined; ) {
    const replayed: readonly DeliveryPosition[] = await writer.call(
      'replayWebhookDeliveries',
      key,
      since,
      at,
      after,
      STEP,
    )
    count += replayed.length
    after = replayed.length === STEP ? replayed.at(-1) : undefined
  }
  return count
}
