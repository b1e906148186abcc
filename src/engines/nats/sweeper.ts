/**
 * Destroys what was written for messages that do not exist. Key, pieces of content and first event are written to
 * three streams, so a process that dies or a broker that refuses the event leaves the others behind, and a key holds a
 * masked recipient. Each key and each piece is looked at once, when it is old enough for its event to have come.
 *
 * A key without an event proves nothing where the log has lost its beginning, by its age or by accident: such keys
 * are left alone, and go with the age limit that streams share.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { Contents } from './contents.ts'
import { EventStream } from './event-stream.ts'
import type { JetStream } from './jetstream.ts'
import type { Keys } from './keys.ts'
import { pauseUntil } from './pause.ts'
import type { Delivery } from './pulls.ts'
import { openSource } from './stream-source.ts'
import { KEPT, type Names, parseOwned, SHREDDED } from './subjects.ts'
import type { KeptEvent } from './wire.ts'

export type SweeperDeps = Readonly<{
  js: JetStream
  names: Names
  keys: Keys
  contents: Contents
  clock: Clock
  /** What is younger is left alone. */
  safeAge?: Millis
}>

export type Orphan = 'key' | 'content'
export type OnSwept = (kind: Orphan, count: number) => void

/** Nothing that is written together is written further apart than this. */
const SAFE_AGE = seconds(60 * 60)
const PAGE = 128
/** How long it rests after each page, in terms of how long that took: a busy broker is asked less. */
const REST = 4
/** What is left after this long is for the next round. */
const LONGEST_MS = 50 * 60_000

type Deps = SweeperDeps & Readonly<{ events: EventStream; onSwept: OnSwept; signal: AbortSignal; endBy: number }>

type Part = Readonly<{
  kind: Orphan
  stream: string
  isOrphan: (deps: Deps, owned: Owned) => Promise<boolean>
  destroy: (deps: Deps, owned: Owned) => Promise<void>
}>

/** A key or a piece, and whose it is. */
type Owned = Readonly<{ id: MessageId; kid: string; seq: number }>

export async function sweep(deps: SweeperDeps, onSwept: OnSwept, signal: AbortSignal): Promise<void> {
  // Its own, so that the messages at work are not pushed out of what the log remembers.
  const events = new EventStream(deps.js, deps.names)
  const all: Deps = { ...deps, events, onSwept, signal, endBy: performance.now() + LONGEST_MS }
  await sweepPart(all, {
    kind: 'key',
    stream: deps.names.keys,
    isOrphan: isOrphanKey,
    destroy: ({ keys }, { seq }) => keys.erase(seq),
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
  // The broker dates what it stores by its own clock, and ours may be ahead of it.
  const now = instant(Math.min(deps.clock(), Date.parse(log.ts)))
  const young = later(now, millis(-(deps.safeAge ?? SAFE_AGE)))
  await using source = await openSource(js, part.stream, { after: await readPlace(deps, part) }, { headersOnly: true })
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
    await pauseUntil(signal, REST * (performance.now() - beganAt))
  }
}

/** Of several pieces of one content the first is looked at for all. */
async function sweepPage(deps: Deps, part: Part, page: readonly Delivery[]): Promise<void> {
  const owned = new Map<string, Owned>()
  for (const { subject, seq } of page) {
    const { id, kid } = parseOwned(subject)
    owned.set(`${id}.${kid}`, { id, kid, seq })
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

/**
 * What no first event names opens nothing, and neither does a key whose event the log has forgotten. Whom an ended
 * code was for is kept for as long as its message.
 */
async function isOrphanKey(deps: Deps, { id, kid }: Owned): Promise<boolean> {
  if (kid === SHREDDED) return false
  const first = await firstOf(deps, id)
  if (first === 'none' || first === 'unreadable') return first === 'none'
  return kid !== KEPT && first.sealed?.kid !== kid
}

/** A mended key may name other pieces than its event does; those of a destroyed key are noise. */
async function isOrphanContent(deps: Deps, { id, kid }: Owned): Promise<boolean> {
  const { js, names, keys, contents } = deps
  const first = await firstOf(deps, id)
  if (first === 'none' || first === 'unreadable') return first === 'none'
  if (first.sealed === undefined) return true
  const found = await keys.find({ id, kid: first.sealed.kid, at: first.at })
  if (found === undefined) {
    return first.sealed.kid !== kid && !(await js.holds(names.keys, names.key(id, first.sealed.kid)))
  }
  return found.kind === 'shredded' || contents.kidOf(found.key.bytes ?? first.sealed.bytes) !== kid
}

/** That there is none is believed only when the index of subjects agrees: an event in a damaged block cannot be read either. */
async function firstOf({ js, names, events }: Deps, id: MessageId): Promise<KeptEvent | 'none' | 'unreadable'> {
  const newest = await events.newest(id)
  const first = newest && (await events.first(newest))
  if (first !== undefined) return first
  return newest !== undefined || (await js.holds(names.log, names.event(id))) ? 'unreadable' : 'none'
}

type StreamInfo = Readonly<{
  /** When the broker answered. */
  ts: string
  created: string
  state: Readonly<{ first_seq: number; first_ts: string; last_seq: number }>
}>

/** Since when the log is whole: from its making, unless it has lost its oldest events. Undefined where it is empty. */
function logBeginning({ created, state }: StreamInfo): Instant | undefined {
  if (state.last_seq < state.first_seq || state.last_seq === 0) return undefined
  return instant(Date.parse(state.first_seq === 1 ? created : state.first_ts))
}

/** How far an earlier round came; from the start where the stream was made anew since. */
async function readPlace({ js, names }: Deps, { kind, stream }: Part): Promise<number> {
  const kept = await js.get(names.rounds, { last_by_subj: names.swept(kind) })
  const place = kept === undefined ? 0 : Number(Buffer.from(kept.data).toString())
  const { state } = await js.api<StreamInfo>(`STREAM.INFO.${stream}`)
  return place > state.last_seq ? 0 : place
}
