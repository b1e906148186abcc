/**
 * Mails of which somebody got a copy, among those that were accepted before the index knew of copies: only their
 * sealed contents tell. What the log has dropped tells nothing of a copy any more, neither here nor anywhere.
 */
import type { Erasure, ErasureFailure } from '../domain/erasure.ts'
import type { MessageId } from '../domain/ids.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { Row } from '../ports/message-index.ts'
import type { Sealer } from '../ports/sealer.ts'

export type FindCopiesDeps = Readonly<{
  log: Pick<EventLog, 'load'>
  blind: Sealer['blind']
  onFault: (error: unknown, messageId: MessageId) => void
}>

export type FoundCopies = Readonly<{ ids: readonly MessageId[]; failures: readonly ErasureFailure[] }>

export async function findCopies(deps: FindCopiesDeps, erasure: Erasure, rows: readonly Row[]): Promise<FoundCopies> {
  const [ids, failures]: [MessageId[], ErasureFailure[]] = [[], []]
  for (const { state, searchable } of rows) {
    if (searchable === undefined || searchable.copyKeys !== undefined) continue
    try {
      if (await isCopiedTo(deps, erasure, state.id)) ids.push(state.id)
    } catch (error) {
      deps.onFault(error, state.id)
      failures.push({ messageId: state.id, reason: 'Its content could not be read to see who got a copy.' })
    }
  }
  return { ids, failures }
}

async function isCopiedTo(
  { log, blind }: FindCopiesDeps,
  { tenantId, toKey }: Erasure,
  id: MessageId,
): Promise<boolean> {
  const content = (await log.load(id))?.content
  if (content?.channel !== 'email') return false
  return [...(content.cc ?? []), ...(content.bcc ?? [])].some(({ address }) => blind(tenantId, address) === toKey)
}
