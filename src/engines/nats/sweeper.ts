/**
 * Destroys keys and content pieces whose message does not exist. Key, pieces and first event are written to three
 * streams, so a process that dies, or a broker that refuses the event, leaves the others behind, and a key holds a
 * masked recipient. Each key and piece is checked once, when it is old enough for its event to have been written.
 *
 * A key without an event proves nothing where the log has lost its beginning, by age or by accident: such keys are
 * left to the age limit that the streams share.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { Clock } from '../../lib/clock.ts'
import { pause } from '../../lib/pause.ts'
import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { Contents } from './contents.ts'
import { EventStream } from './event-stream.ts'
import type { JetStream } from './jetstream.ts'
import type { Keys } from './keys.ts'
import type { Delivery } from './pulls.ts'
import { openSource } from './stream-source.ts'
import { isKeyBlock, KEPT_SEARCHABLE, type Names, parseOwned, SHREDDED } from './subjects.ts'
import type { StoredEvent } from './wire.ts'

export type SweeperDeps = Readonly<{
  js: JetStream
  names: Names
  keys: Keys
  contents: Contents
  clock: Clock
  /** Younger ones are not checked. */
  safeAge?: Millis
}>

export type Orphan = 'key' | 'content'
export type OnSwept = (kind: Orphan, count: number) => void

/** Far longer than the writes of one message can be apart. */
const SAFE_AGE = seconds(60 * 60)
const PAGE = 128
/** Pause after each page, as a multiple of how long the page took: a busy broker gets fewer requests. */
const REST_FACTOR = 4
/** The next round continues after this long. */
const LONGEST_MS = 50 * 60_000

type Deps = SweeperDeps & Readonly<{ events: EventStream; onSwept: OnSwept; signal: AbortSignal; endBy: number }>

type Part = Readonly<{
  kind: Orphan
  stream: string
  isOrphan: (deps: Deps, owned: Owned) => Promise<boolean>
  destroy: (deps: Deps, owned: Owned) => Promise<void>
}>

/** A key or a piece, and the message and key id it belongs to. */
type Owned = Readonly<{ id: MessageId; kid: string; seq: number }>

export async function sweep(deps: SweeperDeps, onSwept: OnSwept, signal: AbortSignal): Promise<void> {
  // A separate instance, so that sweeping does not evict the messages in flight from the log's cache.
  const events = new EventStream(deps.js, deps.names)
  const all: Deps = { ...deps, events, onSwept, signal, endBy: performance.now() + LONGEST_MS }
  await sweepPart(all, {
    kind: 'key',
    stream: deps.names.keys,
    isOrphan: isOrphanKey,
    destroy: ({ keys }, { kid, seq }) => keys.destroy(kid, seq),
  })
  await sweepPart(all, {
    kind: 'content',
    stream: deps.names.contents,
    isOrphan: isOrphanContent,
    destroy: ({ contents }, { id, kid }) => contents.purge(id, kid),
  })
}

async function sweepPart(deps: Deps, part: Part): Promise<void> {
  const { js, names, signal, endBy } = deps
  const log = await js.api<StreamInfo>(`STREAM.INFO.${names.log}`)
  const begin = logBeginning(log)
  if (begin === undefined) return
  // The broker dates messages by its own clock, and ours may be ahead of it.
  const now = instant(Math.min(deps.clock(), Date.parse(log.ts)))
  const young = later(now, millis(-(deps.safeAge ?? SAFE_AGE)))
  await using source = await openSource(
    js,
    part.stream,
    { after: await readProgress(deps, part) },
    { headersOnly: true },
  )
  while (source.pending > 0 && !signal.aborted && performance.now() < endBy) {
    const beganAt = performance.now()
    const page = await source.next(PAGE, signal)
    const old = page.filter(({ at }) => at <= young)
    await sweepPage(
      deps,
      part,
      old.filter(({ at }) => at >= begin),
    )
    const last = old.at(-1)
    if (last !== undefined) await js.publish(names.swept(part.kind), String(last.seq))
    if (page.length === 0 || old.length < page.length) return
    await pause(REST_FACTOR * (performance.now() - beganAt), signal)
  }
}

/** One check covers all pieces of a content. */
async function sweepPage(deps: Deps, part: Part, page: readonly Delivery[]): Promise<void> {
  const owned = new Map<string, Owned>()
  for (const one of (await Promise.all(page.map((delivery) => ownedBy(deps, delivery)))).flat()) {
    owned.set(`${one.id}.${one.kid}`, one)
  }
  const swept = await Promise.all(
    owned.values().map(async (one) => {
      const isOrphan = await part.isOrphan(deps, one)
      if (isOrphan) await part.destroy(deps, one)
      return isOrphan
    }),
  )
  const count = swept.filter(Boolean).length
  if (count > 0) deps.onSwept(part.kind, count)
}

/** What one entry holds: a key or a piece of content, or the keys of a block. */
async function ownedBy({ keys }: Deps, { subject, seq }: Delivery): Promise<readonly Owned[]> {
  if (!isKeyBlock(subject)) return [{ ...parseOwned(subject), seq }]
  return (await keys.membersOf(seq)).map(({ id, kid }) => ({ id, kid, seq }))
}

/**
 * A key that no first event names opens nothing, and neither does one whose event the log has dropped. The searchable
 * fields of a completed one-time code are stored as long as its message.
 */
async function isOrphanKey(deps: Deps, { id, kid }: Owned): Promise<boolean> {
  if (kid === SHREDDED) return false
  const first = await firstOf(deps, id)
  if (first === 'none' || first === 'unreadable') return first === 'none'
  return kid !== KEPT_SEARCHABLE && first.sealed?.kid !== kid
}

/** A replaced key may name other pieces than its event does; the pieces of a destroyed key are unreadable. */
async function isOrphanContent(deps: Deps, { id, kid }: Owned): Promise<boolean> {
  const { keys, contents } = deps
  const first = await firstOf(deps, id)
  if (first === 'none' || first === 'unreadable') return first === 'none'
  if (first.sealed === undefined) return true
  const found = await keys.find({ id, kid: first.sealed.kid, at: first.at })
  if (found === undefined) {
    return first.sealed.kid !== kid && !(await keys.isStored(id, first.sealed.kid))
  }
  return found.kind === 'shredded' || contents.kidOf(found.key.bytes ?? first.sealed.bytes) !== kid
}

/** `none` only if the index of subjects agrees: an event in a damaged block cannot be read either. */
async function firstOf({ js, names, events }: Deps, id: MessageId): Promise<StoredEvent | 'none' | 'unreadable'> {
  const newest = await events.newest(id)
  const first = newest && (await events.first(newest))
  if (first !== undefined) return first
  return newest !== undefined || (await js.holds(names.logOf(id), names.event(id))) ? 'unreadable' : 'none'
}

type StreamInfo = Readonly<{
  /** When the broker answered. */
  ts: string
  created: string
  state: Readonly<{ first_seq: number; first_ts: string; last_seq: number }>
}>

/** When the complete part of the log begins: its creation, unless it has lost its oldest events. Undefined if empty. */
function logBeginning({ created, state }: StreamInfo): Instant | undefined {
  if (state.last_seq < state.first_seq || state.last_seq === 0) return undefined
  return instant(Date.parse(state.first_seq === 1 ? created : state.first_ts))
}

/** How far an earlier round came; zero if the stream was recreated since. */
async function readProgress({ js, names }: Deps, { kind, stream }: Part): Promise<number> {
  const stored = await js.get(names.rounds, { last_by_subj: names.swept(kind) })
  const seq = stored === undefined ? 0 : Number(Buffer.from(stored.data).toString())
  const { state } = await js.api<StreamInfo>(`STREAM.INFO.${stream}`)
  return seq > state.last_seq ? 0 : seq
}
