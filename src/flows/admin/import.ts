/**
 * Imports a log into another: every message with all its events, its content sealed anew, and a job for those that are
 * not finished. Messages that were imported before stay as they are, so it can be repeated.
 */
import type { MessageId } from '../../domain/ids.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { EMPTY, type EventLog, type Recorded, type Revision, START } from '../../ports/event-log.ts'
import type { Queue } from '../../ports/queue.ts'
import { toJob } from '../record.ts'

type ImportDeps = Readonly<{ source: EventLog; target: EventLog; queue: Queue }>
/** `events` and `messages` count the source; `added` counts the events that the target did not have. */
export type Imported = Readonly<{ messages: number; events: number; added: number }>

const PAGE = 256

/** The target's history of a message differs from the source's. */
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

/** Returns the number of events added. */
async function importMessage({ source, target, queue }: ImportDeps, id: MessageId): Promise<number> {
  const [events, there] = await Promise.all([source.read(id), target.read(id)])
  const missing = events.slice(there.length)
  // The target may have more events than the source, but must agree on all that both have.
  if (there.some(({ event }, index) => events[index] !== undefined && events[index].event.id !== event.id)) {
    throw new Diverged(`message ${id} is in the cluster already, with a different history`)
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
  const result = await target.append(omitUndefined({ seen, event, content }))
  if (result.kind !== 'appended') throw new Diverged(`message ${event.state.id} was changed during the import`)
  return result.revision
}
