/**
 * Finds emails that the recipient got a copy of and that a search by recipient may miss. The index may lack the copies
 * of an email that was accepted before it stored them, or by an older process; then only the sealed content has them.
 * Emails that the log has dropped cannot be checked.
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
 * `keep` renews the lease before each content is read; when it returns false another process has taken over, and the
 * result is undefined. If the log is unavailable the whole page fails, because that says nothing about any one email.
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
      const reason = 'The content could not be read to see who got a copy.'
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
