/** Fills the queue of a target with batches, as fast as it takes them. */
import { type Measured, measure } from './measure.ts'
import { BATCH_ITEMS, toBatch } from './messages.ts'
import type { Target } from './target.ts'

const CONNECTIONS = 4
const MAX_SECONDS = 400

/** `prefix` is that of the recipients. Fails if not all messages were accepted. */
export async function fill(target: Target, messages: number, prefix?: string): Promise<Measured> {
  const requests = Math.ceil(messages / BATCH_ITEMS)
  const measured = await measure(target, {
    request: toBatch(target.token, prefix),
    connections: CONNECTIONS,
    pace: { kind: 'closed' },
    warmUpSeconds: 0,
    seconds: MAX_SECONDS,
    requests,
    messagesPerRequest: BATCH_ITEMS,
  })
  const { answers, statuses } = measured.load
  if (answers < requests || Object.keys(statuses).some((status) => !status.startsWith('2'))) {
    throw new Error(`of ${requests} batches ${answers} were answered, with ${Object.keys(statuses).join(', ')}`)
  }
  return measured
}
