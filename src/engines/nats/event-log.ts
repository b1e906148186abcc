/** The log of the cluster profile. What a first event needs is written in one go: key, event and job in one round trip. */
import type { MessageId } from '../../domain/ids.ts'
import type { Searchable } from '../../domain/message/message.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, seconds } from '../../lib/time.ts'
import {
  type AppendResult,
  EMPTY,
  type Entry,
  type EventLog,
  type HasRoom,
  type Loaded,
  type Position,
  type Recorded,
  type Revision,
} from '../../ports/event-log.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Contents } from './contents.ts'
import type { EventStream, Written } from './event-stream.ts'
import { allChanges, follow, type MissingKeys } from './followers.ts'
import type { InFlight } from './in-flight.ts'
import type { JetStream } from './jetstream.ts'
import type { Jobs } from './jobs.ts'
import type { Keys } from './keys.ts'
import { persist, within } from './pause.ts'
import type { Names } from './subjects.ts'
import { type KeptEvent, toRecorded } from './wire.ts'

export type EventLogDeps = Readonly<{
  js: JetStream
  names: Names
  events: EventStream
  contents: Contents
  keys: Keys
  jobs: Jobs
  hands: InFlight
  clock: Clock
}>

/** A job may be handed out this long before its event can be seen. */
const AHEAD_MS = 2_000
/** A caller waits for a first event, and for what an earlier call may have left of one, no longer than this. */
const SETTLED_MS = 5_000
/** A message nobody could have been told of is given up after this long without a key. */
const HOPELESS = seconds(10 * 60)

export function natsEventLog(deps: EventLogDeps): EventLog {
  const { js, names, events } = deps
  const missing: MissingKeys = new Map()
  return {
    append: (entry) => (entry.seen === EMPTY ? within(SETTLED_MS, begin(deps, entry)) : add(deps, entry)),

    async latest(id) {
      const newest = await events.newest(id)
      return newest && toRecorded(newest)
    },

    load: (id, hasRoom) => within(SETTLED_MS, load(deps, id, hasRoom)),

    async read(id) {
      const newest = await events.newest(id)
      if (newest === undefined) return []
      const earlier = await Promise.all(newest.past.map(([seq]) => events.at(seq)))
      return [...earlier, newest].filter((event) => event !== undefined).map(toRecorded)
    },

    shred: (id, keep) => shred(deps, id, keep),

    follow: (start, limit, signal) => follow({ ...deps, missing }, start, limit, signal),
    changes: (start, limit, signal) => allChanges(follow({ ...deps, missing }, start, limit, signal)),

    async tip() {
      const { state } = await js.api<{ state: { last_seq: number } }>(`STREAM.INFO.${names.log}`)
      return state.last_seq as Position
    },
  }
}

/** The three are written without waiting for one another, and in this order; only large content goes before them. */
async function begin(deps: EventLogDeps, { event, content, job }: Entry): Promise<AppendResult> {
  const { id, tenantId } = event.state
  const sealed = content && (await deps.keys.seal(id, tenantId, content))
  const [key, written] = await Promise.allSettled([
    sealed && deps.keys.write(id, sealed),
    deps.events.begin(event, sealed?.sealed),
    // Only a hint: one that is lost is queued again by whoever finds the message standing still.
    job && deps.jobs.put(job),
  ])
  if (written.status === 'rejected') throw written.reason
  if (written.value.kind === 'written') {
    if (sealed !== undefined && key.status === 'rejected') await deps.keys.writeAgain(id, sealed)
  } else if (sealed !== undefined) {
    if (key.status === 'fulfilled' && key.value !== undefined) await deps.keys.erase(key.value)
    const { kid, bytes } = sealed.sealed
    if (deps.contents.isStowed(bytes)) await deps.contents.purge(id, kid)
    if (written.value.kind === 'duplicate') await mend(deps, id, content)
  }
  return toResult(written.value)
}

/** Whoever wrote the first event may have died before its key was stored, and has told nobody: who repeats the call mends it. */
async function mend({ events, keys }: EventLogDeps, id: MessageId, content: Entry['content']): Promise<void> {
  const newest = await events.newest(id)
  const first = newest && (await events.first(newest))
  if (newest === undefined || first?.sealed === undefined || content === undefined) return
  const named = { id, kid: first.sealed.kid, at: first.at }
  if ((await keys.find(named)) === undefined) {
    await keys.mend(named, toRecorded(newest).event.state.tenantId, content)
  }
}

async function add(deps: EventLogDeps, { seen, before, event, job, ends }: Entry): Promise<AppendResult> {
  const { events, jobs, hands } = deps
  const preceded = before && (await events.add(before, seen))
  if (preceded?.kind === 'conflict') return preceded
  const written = await events.add(event, preceded?.kind === 'written' ? preceded.seq : seen)
  if (written.kind !== 'written') return toResult(written)
  try {
    if (job !== undefined) await jobs.replace(job, { alsoReady: ends === undefined })
    if (ends !== undefined) hands.finish(ends)
  } catch (error) {
    // The event is safe. The new job is only a hint, and the old one comes back by itself.
    if (!(error instanceof Unavailable)) throw error
  } finally {
    if (ends !== undefined) hands.letGo(ends)
  }
  return toResult(written)
}

const toResult = (written: Written): AppendResult =>
  written.kind === 'written' ? { kind: 'appended', revision: written.seq as Revision } : written

async function load(deps: EventLogDeps, id: MessageId, hasRoom?: HasRoom): Promise<Loaded | undefined> {
  const [newest, key] = await Promise.all([arrived(deps, id), deps.keys.newest(id)])
  if (newest === undefined) return undefined
  const recorded = toRecorded(newest)
  const { weight } = recorded.event.state
  if (weight !== undefined && hasRoom?.(weight) === false) return { ...recorded, contentSkipped: true }
  const first = await deps.events.first(newest)
  if (first?.sealed === undefined) return recorded
  const found = await deps.keys.find({ id, kid: first.sealed.kid, at: first.at }, key)
  if (found === undefined) return withoutKey(deps, first, recorded)
  if (found.kind === 'shredded') return withSearchable(recorded, found.searchable)
  const content = await deps.keys.open(id, first.sealed, found.key)
  return content === undefined ? recorded : { ...recorded, content }
}

async function shred({ events, keys, contents }: EventLogDeps, id: MessageId, keep?: 'searchable'): Promise<void> {
  const newest = await events.newest(id)
  const first = newest && (await events.first(newest))
  const sealed = first?.sealed
  // The log may have forgotten the event for its age, and the key was written a moment later, or anew.
  if (sealed === undefined && (await keys.newest(id)) === undefined) return contents.purge(id)
  // A key that is still on its way would come to stay.
  const found = sealed && (await keys.find({ id, kid: sealed.kid, at: first.at }))
  if (keep === undefined) await keys.shred(id)
  else await keys.shredSecret(id, found?.kind === 'found' ? found.key.searchable : undefined)
  if (sealed === undefined || contents.isStowed(sealed.bytes)) await contents.purge(id)
}

/** Whoever has a job in hand waits for its event. */
function arrived({ events, hands }: EventLogDeps, id: MessageId): Promise<KeptEvent | undefined> {
  return hands.holds(id) ? persist(() => events.newest(id), AHEAD_MS) : events.newest(id)
}

const withSearchable = (recorded: Recorded, searchable: string | undefined): Loaded =>
  searchable === undefined ? recorded : { ...recorded, searchable: JSON.parse(searchable) as Searchable }

function withoutKey({ clock }: EventLogDeps, first: KeptEvent, recorded: Loaded): Loaded {
  if (later(first.at, HOPELESS) < clock()) return recorded
  throw new Unavailable('the key of this message was not stored with it, and may still come')
}
