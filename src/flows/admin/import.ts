/**
 * Moves a log into another: every message with all its events, what it says sealed anew, and a job for
 * those that are not over. Whatever was moved before is found and left as it is, so it can be repeated.
 */
import type { MessageId } from '../../domain/ids.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import { EMPTY, type EventLog, type Recorded, type Revision, START } from '../../ports/event-log.ts'
import type { Queue } from '../../ports/queue.ts'
import { toJob } from '../record.ts'

export type ImportDeps = Readonly<{ source: EventLog; target: EventLog; queue: Queue }>
/** `events` and `messages` are those of the source; `added` are the events that were not in the target yet. */
export type Imported = Readonly<{ messages: number; events: number; added: number }>

const PAGE = 256

/** The target has gone its own way since: what it holds of this message is not what the source began with. */
export class Diverged extends Error {}

export async function importLog(
  deps: ImportDeps,
  onProgress: (done: number, total: number) => void,
): Promise<Imported> {
  const { source } = deps
  const total = await source.tip()
  let [messages, events, added] = [0, 0, 0]
  if (total === START) return { messages, events, added }
  for await (const page of source.follow(START, PAGE, new AbortController().signal)) {
    const begun = page.filter(({ event }) => event.fact.kind === 'MessageCreated')
    const counts = await Promise.all(begun.map(({ messageId }) => importMessage(deps, messageId)))
    messages += begun.length
    events += page.length
    added += counts.reduce((sum, count) => sum + count, 0)
    const done = page.at(-1)?.position ?? total
    onProgress(done, total)
    if (done >= total) break
  }
  return { messages, events, added }
}

/** Answers how many events were added. */
async function importMessage({ source, target, queue }: ImportDeps, id: MessageId): Promise<number> {
  const [events, there] = await Promise.all([source.read(id), target.read(id)])
  const missing = events.slice(there.length)
  // Of what is there already, more than the source has may have happened since, and nothing else.
  if (there.some(({ event }, place) => events[place] !== undefined && events[place].event.id !== event.id)) {
    throw new Diverged(`message ${id} is in the cluster already, with another past`)
  }
  let seen: Revision = there.at(-1)?.revision ?? EMPTY
  for (const recorded of missing) seen = await add(source, target, seen, recorded)
  const state = events.at(-1)?.event.state
  if (missing.length > 0 && state !== undefined && !isHandoffOver(state.handoffState)) {
    await queue.put(toJob(state, state.dueAt))
  }
  return missing.length
}

async function add(source: EventLog, target: EventLog, seen: Revision, { event }: Recorded): Promise<Revision> {
  const content = seen === EMPTY ? (await source.load(event.state.id))?.content : undefined
  const result = await target.append({ seen, event, ...(content === undefined ? {} : { content }) })
  if (result.kind !== 'appended') throw new Diverged(`message ${event.state.id} is being changed while it is moved`)
  return result.revision
}
