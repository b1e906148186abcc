/**
 * The message index of the embedded profile, searched on a connection of its own. Messages that are not in the tables yet
 * are filed first, so a search finds everything that happened before it, unless it has to answer soon and filing takes long.
 */
import type { Position } from '../../ports/event-log.ts'
import type { Filter, MessageIndex } from '../../ports/message-index.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type Driver, type Remote, remote } from './driver.ts'
import type { openSearch } from './search.ts'
import type { StoreMethods } from './store.ts'
import type { MethodsOf } from './tables.ts'

export type SearchMethods = MethodsOf<ReturnType<typeof openSearch>>

export function sqliteMessageIndex(writer: Driver<StoreMethods>, reader: Driver<SearchMethods>): MessageIndex {
  const filing = remote(writer, 'index')
  const filed = remote(reader, 'messages')
  return {
    position: async () => (await filing.positions()).filed as Position,
    tombstone: filing.tombstone,

    async search(query) {
      const isFiled = await fileAll(filing, query.soon === true ? SOON_MS : undefined)
      const page = await filed.search(query, await findNamed(filing, query.filter))
      return isFiled ? { ...page, isCurrent: true } : page
    },

    async total(query) {
      await fileAll(filing, SOON_MS)
      return filed.total(query, await findNamed(filing, query.filter))
    },

    async stats(query) {
      await fileAll(filing, SOON_MS)
      return filed.stats(query)
    },

    async errors(query) {
      await fileAll(filing, SOON_MS)
      return filed.errors(query)
    },

    /** Asked for all the time, and what has just changed is rarely overdue: it is left to be filed once. */
    async overdue(query) {
      const { unfiledSince } = await filing.positions()
      if (unfiledSince !== undefined && unfiledSince <= query.through) await fileAll(filing)
      const page = await filed.overdue(query)
      if (page.states.length === 0 || !(await filing.hasNewer(page.states.map(({ id }) => id)))) return page
      await fileAll(filing)
      return filed.overdue(query)
    },
  }
}

/**
 * The numbers of the messages that may have a name of the filter (messages/names.ts); undefined if it has none. One name
 * is enough: what is found is compared with the whole filter.
 */
async function findNamed(
  filing: Remote<StoreMethods, 'index'>,
  { id, ids, idPrefix, providerMessageId, toKey }: Filter,
): Promise<readonly number[] | undefined> {
  const name = id ?? providerMessageId ?? toKey
  if (name !== undefined) return filing.named([name])
  if (ids !== undefined) return filing.named(ids)
  return idPrefix === undefined ? undefined : filing.begunWith(idPrefix)
}

export const SOON_MS = 200

/**
 * Files everything up to now, in transactions that are short enough not to delay others. False while the disk is full,
 * or if it takes too long: what is in the tables can still be searched.
 */
export async function fileAll(
  filing: Remote<StoreMethods, 'index'>,
  withinMs = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const deadline = performance.now() + withinMs
  const { tip, filed } = await filing.positions()
  try {
    for (let through = filed; through < tip; ) {
      if (performance.now() > deadline) return false
      await filing.fileSome(tip)
      through = (await filing.positions()).filed
    }
    return true
  } catch (error) {
    if (error instanceof Unavailable) return false
    throw error
  }
}
