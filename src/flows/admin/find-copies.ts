/**
 * Mails of which somebody got a copy, among those that a search by recipient may miss. For mails that were accepted
 * before the index knew of copies only their sealed contents tell. Others may be missed too: an older process that
 * stores such a mail keeps the row and not its copies. What the log has dropped tells nothing of a copy any more.
 */

import type { MessageId } from '../../domain/ids.ts'
import type { Erasure, ErasureFailure } from '../../domain/message/erasure.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { Row } from '../../ports/message-index.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { Unavailable } from '../../ports/unavailable.ts'

export type FindCopiesDeps = Readonly<{
  log: Pick<EventLog, 'load'>
  blind: Sealer['blind']
  onFault: (error: unknown, messageId: MessageId) => void
}>

export type FoundCopies = Readonly<{ ids: readonly MessageId[]; failures: readonly ErasureFailure[] }>

/**
 * `keep` is called before each content is read and holds on to the erasure; once it answers false somebody else has it,
 * and nothing is found. A log that does not answer fails the whole page: it says nothing about any one mail.
 */
export async function findCopies(
  deps: FindCopiesDeps,
  erasure: Erasure,
  rows: readonly Row[],
  keep: () => Promise<boolean>,
): Promise<FoundCopies | undefined> {
  const [ids, failures]: [MessageId[], ErasureFailure[]] = [[], []]
  for (const { state, searchable } of rows) {
    if (searchable === undefined) continue
    if (searchable.copyKeys !== undefined) {
      if (searchable.copyKeys.includes(erasure.toKey)) ids.push(state.id)
      continue
    }
    if (!(await keep())) return undefined
    try {
      if (await isCopiedTo(deps, erasure, state.id)) ids.push(state.id)
    } catch (error) {
      if (error instanceof Unavailable) throw error
      deps.onFault(error, state.id)
      const reason = 'Its content could not be read to see who got a copy.'
      failures.push({ messageId: state.id, reason, unread: true })
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
