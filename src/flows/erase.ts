/**
 * Erases what a message says and whom it is for. The key goes first: should we stop half-way, the
 * content is gone and saying so again completes the rest.
 */

import type { MessageId, TenantId, TraceId } from '../domain/ids.ts'
import { refuse } from '../errors.ts'
import type { MessageIndex } from '../ports/message-index.ts'
import { advance, type RecordDeps, toSeen } from './record.ts'

export type EraseDeps = RecordDeps & Readonly<{ index: MessageIndex }>
export type Erase = Readonly<{ tenantId: TenantId; id: MessageId; traceId: TraceId }>

export async function erase(deps: EraseDeps, { tenantId, id, traceId }: Erase): Promise<void> {
  const latest = await deps.log.latest(id)
  if (latest?.event.state.tenantId !== tenantId) throw refuse('NOT_FOUND', 'no such message')

  await deps.log.shred(id)
  await advance(deps, toSeen(latest), (state) =>
    state.erased ? undefined : { fact: { kind: 'MessageErased' }, traceId },
  )
  await deps.index.tombstone(id)
}

/** Erases every message to one recipient, as far as the index knows them; answers how many. */
export async function eraseRecipient(
  deps: EraseDeps,
  { tenantId, toKey, traceId }: Readonly<{ tenantId: TenantId; toKey: string; traceId: TraceId }>,
): Promise<number> {
  let erased = 0
  for (;;) {
    // An erased message has left this search, so the first page is always the next one.
    const { rows } = await deps.index.search({ tenantId, filter: { toKey }, limit: 200 })
    for (const { state } of rows) await erase(deps, { tenantId, id: state.id, traceId })
    erased += rows.length
    if (rows.length === 0) return erased
  }
}
