/**
 * A log that brings heavy content a little at a time, for those who ask for it without saying how much they have room
 * for. They look at it and drop it soon, so what counts is how much of it is on its way at once. Whoever finds no room
 * waits for its turn; those who wait for the same message are brought it together.
 */

import type { MessageId } from '../../domain/ids.ts'
import type { Content } from '../../domain/message/message.ts'
import { MemoryBudget } from '../../lib/memory-budget.ts'
import type { EventLog, Loaded } from '../../ports/event-log.ts'

/** Of what is on its way a process has several copies, in its threads and in its forms. */
const ROOM_KILOBYTES = 16 * 1024

type Unload = () => void
type Turn = Readonly<{ weight: number; loaded: Promise<Loaded | undefined>; begin: (unload: Unload) => void }>

export function budgetedLog(log: EventLog, room = ROOM_KILOBYTES): EventLog {
  const budget = new MemoryBudget(room)
  /** First come, first served: a light one that would fit does not pass a heavy one. */
  const turns = new Map<MessageId, Turn>()

  function beginTurns(): void {
    for (const [id, { weight, begin }] of turns) {
      const unload = budget.take(weight)
      if (unload === undefined) return
      turns.delete(id)
      begin(unload)
    }
  }

  function end(unload: Unload | undefined): void {
    unload?.()
    beginTurns()
  }

  async function bring(id: MessageId, unload: Unload): Promise<Loaded | undefined> {
    try {
      return await log.load(id)
    } finally {
      end(unload)
    }
  }

  function awaitTurn(id: MessageId, weight: number): Promise<Loaded | undefined> {
    const known = turns.get(id)
    if (known !== undefined) return known.loaded
    const { promise: loaded, resolve } = Promise.withResolvers<Loaded | undefined>()
    turns.set(id, { weight, loaded, begin: (unload) => resolve(bring(id, unload)) })
    beginTurns()
    return loaded
  }

  /** Most content weighs nothing, and comes with the first call. */
  async function load(id: MessageId): Promise<Loaded | undefined> {
    let unload: Unload | undefined
    let weight = 0
    try {
      const loaded = await log.load(id, (kilobytes) => {
        weight = kilobytes
        unload = turns.size === 0 ? budget.take(kilobytes) : undefined
        return unload !== undefined
      })
      if (loaded?.contentSkipped !== true) return loaded
    } finally {
      if (unload !== undefined) end(unload)
    }
    return awaitTurn(id, weight)
  }

  return { ...log, load: (id, hasRoom) => (hasRoom === undefined ? load(id) : log.load(id, hasRoom)) }
}

/** For those who keep the content of many messages for long, and have no use for what mails say. */
export const withoutBodies = (log: EventLog): EventLog => ({
  ...log,
  async load(id, hasRoom) {
    const loaded = await log.load(id, hasRoom)
    return loaded?.content === undefined ? loaded : { ...loaded, content: toBrief(loaded.content) }
  },
})

function toBrief(content: Content): Content {
  if (content.channel === 'sms') return content
  const { attachments: _, text: __, ...rest } = content
  return { ...rest, html: '' }
}
