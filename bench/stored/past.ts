/**
 * A message of the past and all that happened to it. It is appended through an engine's own log, as by a gateway: only
 * the clock of the flows is that of each event, and no provider is called.
 */
import type { Fact } from '../../src/domain/message/events.ts'
import { openIds } from '../../src/engines/crypto/ids.ts'
import { eraseContent } from '../../src/flows/admin/erase.ts'
import { record, type Seen, toSeen } from '../../src/flows/record.ts'
import { type Submission, toCreated } from '../../src/flows/send/accept.ts'
import { type Instant, later, type Millis } from '../../src/lib/time.ts'
import { EMPTY, type EventLog } from '../../src/ports/event-log.ts'

/** A fact, and how long after the creation it happened. */
export type Happened = Readonly<{ fact: Fact; after: Millis }>

export type Past = Readonly<{ createdAt: Instant; submission: Submission; happened: readonly Happened[] }>

const ids = openIds()

/** Appends all events of one message, one after the other. */
export async function appendPast(log: EventLog, { createdAt, submission, happened }: Past): Promise<void> {
  const event = toCreated({ log, ids, clock: () => createdAt }, submission, 0)
  const result = await log.append({ seen: EMPTY, event, content: submission.content })
  if (result.kind !== 'appended') throw new Error(`message ${event.state.id} exists already`)
  let seen = toSeen({ revision: result.revision, event })
  for (const { fact, after } of happened) seen = await append(log, seen, fact, later(createdAt, after))
}

async function append(log: EventLog, seen: Seen, fact: Fact, at: Instant): Promise<Seen> {
  const deps = { log, ids, clock: () => at }
  const { id, tenantId, traceId } = seen.state
  // It is always the last: its content is destroyed with it.
  if (fact.kind === 'MessageErased') {
    await eraseContent(deps, { tenantId, id, traceId })
    return seen
  }
  const recorded = await record(deps, seen, fact)
  if (recorded.kind !== 'recorded') throw new Error(`message ${id} was changed by somebody else`)
  return recorded.seen
}
