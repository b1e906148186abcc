/**
 * Erases what a message says and whom it is for. The key goes first: should we stop half-way, the
 * content is gone and saying so again completes the rest.
 */

import type { MessageId, TenantId, TraceId } from '../../domain/ids.ts'
import { isForgotten } from '../../domain/message/searchable.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { EMPTY, type Position, START } from '../../ports/event-log.ts'
import type { MessageIndex } from '../../ports/message-index.ts'
import type { Timeline } from '../../ports/timeline.ts'
import { notFound } from '../errors.ts'
import { advance, type RecordDeps, toEvent, toSeen } from '../record.ts'

/** `timeline` is where messages are still known that the log has forgotten, if there is such a place. */
export type EraseDeps = RecordDeps & Readonly<{ index: MessageIndex; timeline?: Timeline }>
export type Erase = Readonly<{ tenantId: TenantId; id: MessageId; traceId: TraceId }>

/** False where it was erased before. */
export async function erase(deps: EraseDeps, wish: Erase): Promise<boolean> {
  const { tenantId, id, traceId } = wish
  const latest = await deps.log.latest(id)
  if (latest === undefined) return eraseForgotten(deps, wish)
  if (latest.event.state.tenantId !== tenantId) throw notFound('message', id)

  await deps.log.shred(id)
  const { recorded } = await advance(deps, toSeen(latest), (state) =>
    isForgotten(state) ? undefined : { fact: { kind: 'MessageErased' }, traceId },
  )
  await deps.index.tombstone(id)
  return recorded
}

/** Erases what a message says, and leaves to search whom it was for. */
export async function eraseContent(deps: RecordDeps, { tenantId, id, traceId }: Erase): Promise<void> {
  const latest = await deps.log.latest(id)
  if (latest?.event.state.tenantId !== tenantId) throw notFound('message', id)

  await deps.log.shred(id, 'searchable')
  await advance(deps, toSeen(latest), (state) =>
    state.erased ? undefined : { fact: { kind: 'MessageErased', kept: 'recipient' }, traceId },
  )
}

/** The log has dropped the message for its age; the index, the timeline, or a key may still know of it. */
async function eraseForgotten(deps: EraseDeps, { tenantId, id, traceId }: Erase): Promise<boolean> {
  const { log, index, timeline } = deps
  const state = await recall(deps, tenantId, id)
  if (state === undefined) throw notFound('message', id)

  await log.shred(id)
  if (!isForgotten(state)) {
    const event = toEvent(deps, state, { kind: 'MessageErased' }, { traceId })
    // Nobody follows a stream that is gone: both are told here what they would have learnt from the log.
    const position = ((await log.tip()) + 1) as Position
    await timeline?.keep([{ revision: EMPTY, position, event }])
    await index.apply([{ state: event.state, position }], START)
  }
  await index.tombstone(id)
  return !isForgotten(state)
}

/** Another tenant's message is as unknown as one that never was. */
async function recall(
  { index, timeline }: EraseDeps,
  tenantId: TenantId,
  id: MessageId,
): Promise<MessageState | undefined> {
  const { rows } = await index.search({ tenantId, filter: { id }, limit: 1 })
  return rows[0]?.state ?? (await timeline?.read(tenantId, id))?.at(-1)?.state
}
