/** The notices of the embedded profile: changed with the log, listed on a connection of its own. */

import type { NoticeKey, Notices } from '../../ports/webhook-deliveries.ts'
import { toEndpoint } from '../shared/rows.ts'
import { toNotice, toNoticeCursor } from '../shared/webhook-delivery-rows.ts'
import type { Driver } from './driver.ts'
import type { SearchMethods } from './message-index.ts'
import type { StoreMethods } from './store.ts'
import type { NoticePlace } from './webhook-delivery-table.ts'

/** As many are changed in one step: few enough not to hold up whoever shares the store. */
const STEP = 500

export const sqliteNotices = (writer: Driver<StoreMethods>, reader: Driver<SearchMethods>): Notices => ({
  want: async (changed) => {
    if (changed.length > 0) await writer.call('wantNotices', changed)
  },

  take: async (at, until, max, each) =>
    (await writer.call('takeNotices', at, until, max, each)).map(({ notice, endpoint }) => ({
      notice: toNotice(notice),
      ...(endpoint === undefined ? {} : { endpoint: toEndpoint(endpoint) }),
    })),

  settle: (held, told) => writer.call('settleNotice', held, told),
  release: (key) => writer.call('releaseNotice', key),

  async list(query) {
    const rows = await reader.call('listNotices', query)
    const page = rows.slice(0, query.limit)
    const last = rows.length > query.limit ? page.at(-1) : undefined
    return {
      notices: page.map(toNotice),
      ...(last === undefined ? {} : { nextCursor: toNoticeCursor(Number(last['updated_at']), Number(last['n'])) }),
    }
  },

  replay: ({ messageId, ...line }, since, at) =>
    messageId === undefined
      ? replayAll(writer, line, since, at)
      : writer.call('replayNotice', { ...line, messageId }, since, at),

  async resume(line, at) {
    while (await writer.call('resumeNotices', line, at, STEP)) {
      // Until there are no more.
    }
  },

  forget: (before) => writer.call('forgetNotices', before, STEP),
})

async function replayAll(
  writer: Driver<StoreMethods>,
  line: Omit<NoticeKey, 'messageId'>,
  since: number,
  at: number,
): Promise<number> {
  let count = 0
  for (let after: NoticePlace | undefined = [since, -1]; after !== undefined; ) {
    const replayed: readonly NoticePlace[] = await writer.call('replayNotices', line, since, at, after, STEP)
    count += replayed.length
    after = replayed.length === STEP ? replayed.at(-1) : undefined
  }
  return count
}
