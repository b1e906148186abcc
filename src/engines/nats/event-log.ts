/**
 * The event log of the cluster profile. Key and first event of a message are written in one round trip; then the message
 * is handed to a worker, or queued.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { Searchable } from '../../domain/message/message.ts'
import type { Clock } from '../../lib/clock.ts'
import { FairTurns } from '../../lib/fair-turns.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import { later, seconds } from '../../lib/time.ts'
import {
  type AppendResult,
  EMPTY,
  type Entry,
  type EventLog,
  type EventsPage,
  type EventsQuery,
  type HasRoom,
  type Loaded,
  type Position,
  type Recorded,
  type Revision,
} from '../../ports/event-log.ts'
import type { Job } from '../../ports/queue.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Contents } from './contents.ts'
import { retryUntilFound, withTimeout } from './deadlines.ts'
import type { EventStream, Written } from './event-stream.ts'
import { allChanges, follow, MISSING_KEYS, type MissingKeys } from './followers.ts'
import type { Handover, NewMessage } from './handover.ts'
import type { InFlight } from './in-flight.ts'
import type { JetStream } from './jetstream.ts'
import type { Jobs } from './jobs.ts'
import type { Keys, Owner } from './keys.ts'
import type { Names } from './subjects.ts'
import { type History, type StoredEvent, toEncoded, toRecorded } from './wire.ts'

export type EventLogDeps = Readonly<{
  js: JetStream
  names: Names
  events: EventStream
  contents: Contents
  keys: Keys
  jobs: Jobs
  inFlight: InFlight
  handover: Handover
  clock: Clock
}>

/** A job may be delivered this long before its event is visible. */
const EVENT_LAG_MS = 2_000
/** How long a caller waits for a first event or a load, including repairs. */
const TIMEOUT_MS = 5_000
/** A message whose key is still missing after this long lost it before anyone got an answer for it. */
const KEY_LOST_AFTER = seconds(10 * 60)

export function natsEventLog(deps: EventLogDeps): EventLog {
  const { js, names, events } = deps
  const missing: MissingKeys = new LruCache(MISSING_KEYS)
  return {
    append: (entry) => (entry.seen === EMPTY ? withTimeout(TIMEOUT_MS, begin(deps, entry)) : add(deps, entry)),

    async latest(id) {
      const newest = await events.newest(id)
      return newest && toRecorded(newest)
    },

    recall(id) {
      const known = events.recall(id)
      return known && { revision: known.seq as Revision, event: known.event }
    },

    load(id, hasRoom, taken) {
      const handed = taken && deps.inFlight.find(taken)?.loaded
      if (handed === undefined) return withTimeout(TIMEOUT_MS, load(deps, id, hasRoom))
      events.adopt(id, { seq: handed.revision, id: handed.event.id })
      return handed
    },

    async read(id) {
      const newest = await events.newest(id)
      if (newest === undefined) return []
      return [...(await readEvents(events, id, newest.history)), toRecorded(newest)]
    },

    page: (id, query) => readPage(events, id, query),

    shred: (id, keep) => shred(deps, id, keep),

    follow: (start, limit, signal) => follow({ ...deps, missing }, start, limit, signal),
    changes: (start, limit, signal) => allChanges(follow({ ...deps, missing }, start, limit, signal)),

    async tip() {
      const { state } = await js.api<{ state: { last_seq: number } }>(`STREAM.INFO.${names.log}`)
      return state.last_seq as Position
    },
  }
}

/** The newest event tells where all others are. The broker may have dropped the oldest by age. */
async function readPage(
  events: EventStream,
  id: MessageId,
  { limit, before }: EventsQuery,
): Promise<EventsPage | undefined> {
  const newest = await events.newest(id)
  if (newest === undefined) return undefined
  const { history } = newest
  const total = history.length + 1
  const end = Math.min(before ?? total, total)
  const first = Math.max(0, end - limit)
  const earlier = (await readEvents(events, id, history.slice(first, end))).map(({ event }) => event)
  const { event: last } = toRecorded(newest)
  return { events: end === total ? [...earlier, last] : earlier, first, total, state: last.state }
}

/**
 * The broker closes a connection that has more to receive than it buffers, so long histories are read a few events at a
 * time, in turns among the messages that are read.
 */
const READS = new FairTurns<MessageId>({ atOnce: 64, waiting: Number.POSITIVE_INFINITY })

async function readEvents(events: EventStream, id: MessageId, history: History): Promise<readonly Recorded[]> {
  const read = async ([seq]: History[number]): Promise<Recorded | undefined> => {
    const turn = await READS.take(id)
    try {
      return await events.recordedAt(id, seq)
    } finally {
      if (turn.kind === 'taken') turn.release()
    }
  }
  return (await Promise.all(history.map(read))).filter((event) => event !== undefined)
}

/** Writes key and event concurrently, in this order; only large content is stored before them. Then the job. */
async function begin(deps: EventLogDeps, { event, content, job }: Entry): Promise<AppendResult> {
  const { id } = event.state
  const sealed = content && (await deps.keys.seal(event.state, content))
  const encoded = toEncoded(event)
  const [key, written] = await Promise.allSettled([
    sealed && deps.keys.write(id, sealed),
    deps.events.begin(event, sealed?.sealed, encoded),
  ])
  if (written.status === 'rejected') throw written.reason
  if (written.value.kind === 'written') {
    if (sealed !== undefined && key.status === 'rejected') await deps.keys.writeWithRetry(id, sealed)
    if (job !== undefined)
      await place(deps, job, sealed && { ...encoded, seq: written.value.seq, content: sealed.json })
  } else if (sealed !== undefined) {
    if (key.status === 'fulfilled') await deps.keys.discard(id, sealed)
    await replaceLostKey(deps, event.state, content)
  }
  return toResult(written.value)
}

/** A job is only a hint: if it is lost, the recovery of stuck messages queues another one. */
async function place({ jobs, handover }: EventLogDeps, job: Job, message?: NewMessage): Promise<void> {
  const isTaken = message !== undefined && !jobs.isDelayed(job) && (await handover.offer(message))
  if (!isTaken) await jobs.begin(job).catch(() => undefined)
}

/**
 * The first writer may have died before its key was stored, without having answered: the repeated call stores one, also
 * if its event has an id of another form.
 */
async function replaceLostKey({ events, keys }: EventLogDeps, owner: Owner, content: Entry['content']): Promise<void> {
  const { id } = owner
  const newest = await events.newest(id)
  const first = newest && (await events.first(newest))
  if (newest === undefined || first?.sealed === undefined || content === undefined) return
  const ref = { id, kid: first.sealed.kid, at: first.at }
  if ((await keys.find(ref)) === undefined) await keys.replaceLost(ref, owner, content)
}

async function add(deps: EventLogDeps, { seen, before, event, job, ends }: Entry): Promise<AppendResult> {
  const { events, jobs, inFlight } = deps
  const preceded = before && (await events.add(before, seen))
  if (preceded?.kind === 'conflict') return preceded
  const written = await events.add(event, preceded?.kind === 'written' ? preceded.seq : seen)
  if (written.kind !== 'written') return toResult(written)
  try {
    if (job !== undefined) await jobs.replace(job, { alsoReady: ends === undefined })
    if (ends !== undefined) inFlight.ack(ends)
  } catch (error) {
    // The event is stored. The new job is only a hint, and the old one is redelivered.
    if (!(error instanceof Unavailable)) throw error
  } finally {
    if (ends !== undefined) inFlight.forget(ends)
  }
  return toResult(written, preceded)
}

function toResult(written: Written, preceded?: Written): AppendResult {
  if (written.kind !== 'written') return written
  const appended = { kind: 'appended', revision: written.seq as Revision } as const
  return preceded?.kind === 'written' ? { ...appended, before: preceded.seq as Revision } : appended
}

async function load(deps: EventLogDeps, id: MessageId, hasRoom?: HasRoom): Promise<Loaded | undefined> {
  const newest = await newestEvent(deps, id)
  if (newest === undefined) return undefined
  const recorded = toRecorded(newest)
  const { contentSize: size } = recorded.event.state
  if (size !== undefined && hasRoom?.(size) === false) return { ...recorded, contentSkipped: true }
  const first = await deps.events.first(newest)
  if (first?.sealed === undefined) return recorded
  const found = await deps.keys.find({ id, kid: first.sealed.kid, at: first.at })
  if (found === undefined) return withoutKey(deps, first, recorded)
  if (found.kind === 'shredded') return withSearchable(recorded, found.searchable)
  const content = await deps.keys.open(id, first.sealed, found.key)
  return content === undefined ? recorded : { ...recorded, content }
}

async function shred({ events, keys, contents }: EventLogDeps, id: MessageId, keep?: 'searchable'): Promise<void> {
  const newest = await events.newest(id)
  const first = newest && (await events.first(newest))
  const sealed = first?.sealed
  // The log may have dropped the event by age while its key, written later, still exists.
  if (sealed === undefined && !(await keys.hasAny(id))) return contents.purge(id)
  // Wait for a key that is still being written: otherwise it would outlive the shredding.
  const found = sealed && (await keys.find({ id, kid: sealed.kid, at: first.at }))
  if (keep === undefined) await keys.shred(id, sealed?.kid)
  else await keys.shredSecret(id, sealed?.kid, found?.kind === 'found' ? found.key.searchable : undefined)
  if (sealed === undefined || contents.isOffloaded(sealed.bytes)) await contents.purge(id)
}

/** A process that has a job of the message in flight waits until its event is visible. */
function newestEvent({ events, inFlight }: EventLogDeps, id: MessageId): Promise<StoredEvent | undefined> {
  return inFlight.has(id) ? retryUntilFound(() => events.newest(id), EVENT_LAG_MS) : events.newest(id)
}

const withSearchable = (recorded: Recorded, searchable: string | undefined): Loaded =>
  searchable === undefined ? recorded : { ...recorded, searchable: JSON.parse(searchable) as Searchable }

function withoutKey({ clock }: EventLogDeps, first: StoredEvent, recorded: Loaded): Loaded {
  if (later(first.at, KEY_LOST_AFTER) < clock()) return recorded
  throw new Unavailable("this message's key is not stored yet")
}
