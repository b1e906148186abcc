/**
 * An event log that bounds how much large content is loading at once, for callers that do not bound it themselves and
 * drop the content soon. A call without room waits for its turn; calls for the same message share one load.
 */

import type { MessageId } from '../../domain/ids.ts'
import type { Content } from '../../domain/message/message.ts'
import { MemoryBudget } from '../../lib/memory-budget.ts'
import type { EventLog, Loaded } from '../../ports/event-log.ts'

/** A process holds several copies of content that is loading, in its threads and in several forms. */
const BUDGET_KILOBYTES = 16 * 1024

type Release = () => void
type WaitingLoad = Readonly<{ size: number; loaded: Promise<Loaded | undefined>; begin: (release: Release) => void }>

export function budgetedLog(log: EventLog, kilobytes = BUDGET_KILOBYTES): EventLog {
  const budget = new MemoryBudget(kilobytes)
  /** First come, first served: a small one does not overtake a large one. */
  const waiting = new Map<MessageId, WaitingLoad>()

  function startWaiting(): void {
    for (const [id, { size, begin }] of waiting) {
      const release = budget.take(size)
      if (release === undefined) return
      waiting.delete(id)
      begin(release)
    }
  }

  function end(release: Release | undefined): void {
    release?.()
    startWaiting()
  }

  async function loadWithin(id: MessageId, release: Release): Promise<Loaded | undefined> {
    try {
      return await log.load(id)
    } finally {
      end(release)
    }
  }

  function enqueue(id: MessageId, size: number): Promise<Loaded | undefined> {
    const queued = waiting.get(id)
    if (queued !== undefined) return queued.loaded
    const { promise: loaded, resolve } = Promise.withResolvers<Loaded | undefined>()
    waiting.set(id, { size, loaded, begin: (release) => resolve(loadWithin(id, release)) })
    startWaiting()
    return loaded
  }

  /** Most content is small and comes with the first call. */
  async function load(id: MessageId): Promise<Loaded | undefined> {
    let release: Release | undefined
    let size = 0
    try {
      const loaded = await log.load(id, (kilobytes) => {
        size = kilobytes
        release = waiting.size === 0 ? budget.take(kilobytes) : undefined
        return release !== undefined
      })
      if (loaded?.contentSkipped !== true) return loaded
    } finally {
      if (release !== undefined) end(release)
    }
    return enqueue(id, size)
  }

  return {
    ...log,
    load: (id, hasRoom, taken) => (hasRoom === undefined ? load(id) : log.load(id, hasRoom, taken)),
  }
}

/** For callers that keep the content of many messages for long and do not need the bodies of mail. */
export const withoutBodies = (log: EventLog): EventLog => ({
  ...log,
  async load(id, hasRoom) {
    const loaded = await log.load(id, hasRoom)
    return loaded?.content === undefined ? loaded : { ...loaded, content: toShort(loaded.content) }
  },
})

function toShort(content: Content): Content {
  if (content.channel === 'sms') return content
  const { attachments: _, text: __, source: ___, ...rest } = content
  return { ...rest, html: '' }
}
