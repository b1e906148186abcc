/**
 * Erases the content and the recipient of a message. The key is destroyed first: if we crash, the content is gone, and
 * repeating the call completes the rest.
 */

import type { MessageId, TenantId, TraceId } from '../../domain/ids.ts'
import { isForgotten } from '../../domain/message/searchable.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { EMPTY, type Position, START } from '../../ports/event-log.ts'
import type { IndexWriter, MessageIndex } from '../../ports/message-index.ts'
import type { Timeline } from '../../ports/timeline.ts'
import type { WebhookAttempts } from '../../ports/webhook-attempts.ts'
import { notFound } from '../errors.ts'
import { advance, type RecordDeps, toEvent, toSeen } from '../record.ts'

/** `timeline` still has messages that the log has dropped for their age. */
export type EraseDeps = RecordDeps &
  Readonly<{
    index: MessageIndex
    indexWriter?: IndexWriter
    timeline?: Timeline
    webhookAttempts: Pick<WebhookAttempts, 'erase'>
  }>
type Erase = Readonly<{ tenantId: TenantId; id: MessageId; traceId: TraceId }>

/** False if it was erased before. */
export async function erase(deps: EraseDeps, request: Erase): Promise<boolean> {
  const { tenantId, id, traceId } = request
  const latest = await deps.log.latest(id)
  if (latest === undefined) return eraseDropped(deps, request)
  if (latest.event.state.tenantId !== tenantId) throw notFound('message', id)

  await deps.log.shred(id)
  const { recorded } = await advance(deps, toSeen(latest), (state) =>
    isForgotten(state) ? undefined : { fact: { kind: 'MessageErased' }, traceId },
  )
  await forget(deps, id)
  return recorded
}

/** Erases the content of a message; the recipient can still be searched. */
export async function eraseContent(deps: RecordDeps, { tenantId, id, traceId }: Erase): Promise<void> {
  const latest = await deps.log.latest(id)
  if (latest?.event.state.tenantId !== tenantId) throw notFound('message', id)

  await deps.log.shred(id, 'searchable')
  await advance(deps, toSeen(latest), (state) =>
    state.erased ? undefined : { fact: { kind: 'MessageErased', kept: 'recipient' }, traceId },
  )
}

/** The log has dropped the message for its age; the index, the timeline or a key may remain. */
async function eraseDropped(deps: EraseDeps, { tenantId, id, traceId }: Erase): Promise<boolean> {
  const { log, indexWriter, timeline } = deps
  const state = await recall(deps, tenantId, id)
  if (state === undefined) throw notFound('message', id)

  await log.shred(id)
  if (!isForgotten(state)) {
    const event = toEvent(deps, state, { kind: 'MessageErased' }, { traceId })
    // The log publishes no event of a dropped stream, so the index and the timeline get the event here.
    const position = ((await log.tip()) + 1) as Position
    await timeline?.keep([{ revision: EMPTY, position, event }])
    await indexWriter?.apply([{ state: event.state, position }], START)
  }
  await forget(deps, id)
  return !isForgotten(state)
}

/** What was derived from the content. Only now: what is derived after the event is on record is already without it. */
async function forget({ index, webhookAttempts }: EraseDeps, id: MessageId): Promise<void> {
  await Promise.all([index.tombstone(id), webhookAttempts.erase(id)])
}

/** Another tenant's message counts as not found. */
async function recall(
  { index, timeline }: EraseDeps,
  tenantId: TenantId,
  id: MessageId,
): Promise<MessageState | undefined> {
  const { rows } = await index.search({ tenantId, filter: { id }, limit: 1 })
  return rows[0]?.state ?? (await timeline?.page(tenantId, id, { limit: 1 }))?.state
}
