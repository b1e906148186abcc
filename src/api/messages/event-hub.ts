/**
 * Feeds all streams of events of a process. While there are streams, one follower reads the log; every event is decoded
 * and encoded once, and handed to the streams of its tenant. A stream that resumes from the past, or whose client has
 * fallen behind, reads the log in pages until it has reached the others; tenants take turns in that.
 */
import type { Logger } from 'pino'
import type { TenantId } from '../../domain/ids.ts'
import { FairTurns } from '../../lib/fair-turns.ts'
import { pause } from '../../lib/pause.ts'
import type { Millis } from '../../lib/time.ts'
import type { EventCursors } from '../../ports/event-cursors.ts'
import type { EventFeed } from '../../ports/event-feed.ts'
import type { Followed, Position } from '../../ports/event-log.ts'
import { Following, type Page } from './event-following.ts'
import { type Frame, heartbeatAt, keyOf, toFrame, writeFrames } from './event-frames.ts'
import type { EventStream } from './event-stream.ts'

export type EventHubDeps = Readonly<{ feed: EventFeed; cursors: EventCursors; logger: Logger; heartbeat: Millis }>

/** How many pages are read at once for streams that catch up. */
const CATCHING_UP = { atOnce: 4, atOncePerKey: 1, waiting: Number.POSITIVE_INFINITY }
/** How long to wait before reading again when the log could not be read up to the present. */
const RETRY_MS = 250

export class EventHub {
  readonly #deps: EventHubDeps
  readonly #streams = new Map<TenantId, Set<EventStream>>()
  readonly #turns = new FairTurns<TenantId>(CATCHING_UP)
  /** Undefined while there are no streams. */
  #following: Following | undefined
  #count = 0

  constructor(deps: EventHubDeps) {
    this.#deps = deps
  }

  get count(): number {
    return this.#count
  }

  countOf(tenantId: TenantId): number {
    return this.#streams.get(tenantId)?.size ?? 0
  }

  /** Feeds a stream from its position on, until it ends. */
  add(stream: EventStream): void {
    const { tenantId, ended } = stream
    const streams = this.#streams.get(tenantId) ?? new Set()
    this.#streams.set(tenantId, streams.add(stream))
    this.#count += 1
    ended.addEventListener('abort', () => this.#remove(stream), { once: true })
    void this.#catchUp(stream, this.#following ?? this.#follow())
  }

  endAll(): void {
    for (const streams of [...this.#streams.values()]) for (const stream of streams) stream.end()
  }

  #remove(stream: EventStream): void {
    const streams = this.#streams.get(stream.tenantId)
    this.#count -= 1
    this.#following?.live.delete(stream)
    streams?.delete(stream)
    if (streams?.size === 0) this.#streams.delete(stream.tenantId)
    if (this.#count > 0) return
    this.#following?.stop.abort()
    this.#following = undefined
  }

  #follow(): Following {
    const following = new Following(
      (page) => this.#deliver(following, page),
      (tenantId) => this.#streams.has(tenantId),
    )
    this.#following = following
    void this.#run(following)
    return following
  }

  /** If the log cannot be followed any longer, all streams end: clients reconnect, and miss nothing. */
  async #run(following: Following): Promise<void> {
    const { feed, logger, heartbeat } = this.#deps
    const timer = setInterval(() => this.#beat(following), heartbeat)
    try {
      for await (const changes of feed.live(following.stop.signal)) following.take(changes)
    } catch (err) {
      logger.warn({ err }, 'event streams: the log cannot be followed, ending them')
    }
    clearInterval(timer)
    following.end()
    if (this.#following === following) this.endAll()
  }

  /** Streams with equal filters share the bytes. */
  #deliver(following: Following, { frames, before }: Page): void {
    for (const [tenantId, page] of frames) {
      const texts = new Map<string, Buffer>()
      for (const stream of this.#streams.get(tenantId) ?? []) {
        if (!following.live.has(stream)) continue
        if (stream.isBehind) this.#leaveBehind(stream, following, before)
        else if (stream.position > before) stream.write(this.#encode(after(page, stream.position), stream))
        else {
          const key = keyOf(stream.filter)
          const text = texts.get(key) ?? Buffer.from(this.#encode(page, stream))
          texts.set(key, text)
          stream.write(text)
        }
      }
    }
  }

  #leaveBehind(stream: EventStream, following: Following, position: Position): void {
    following.live.delete(stream)
    stream.position = position
    void this.#catchUp(stream, following)
  }

  #encode(frames: readonly Frame[], { tenantId, filter }: EventStream): string {
    return writeFrames(frames, filter, (position) => this.#deps.cursors.toId(tenantId, position))
  }

  #beat({ live, flushed }: Following): void {
    for (const [tenantId, streams] of this.#streams) {
      const atPresent = heartbeatAt(this.#deps.cursors.toId(tenantId, flushed))
      for (const stream of streams) {
        const { isActive, position } = stream
        if (!isActive)
          stream.write(live.has(stream) ? atPresent : heartbeatAt(this.#deps.cursors.toId(tenantId, position)))
        stream.isActive = false
      }
    }
  }

  /** Brings a stream from its position to where the others are. */
  async #catchUp(stream: EventStream, following: Following): Promise<void> {
    try {
      await following.started
      await stream.drained()
      while (!stream.ended.aborted && !following.stop.signal.aborted) {
        if (this.#join(stream, following)) return
        await this.#read(stream)
      }
    } catch (err) {
      this.#deps.logger.warn({ err, tenant_id: stream.tenantId }, 'event stream: the log cannot be read, ending it')
      stream.end()
    }
  }

  /** At once, if the events since its position are still in memory. */
  #join(stream: EventStream, following: Following): boolean {
    const recent = following.since(stream.position)
    if (recent === undefined) return false
    stream.write(this.#encode(toFrames(recent, stream.tenantId), stream))
    following.live.add(stream)
    return true
  }

  /** Reads up to the present, page by page: the next one once the client has read the one before. */
  async #read(stream: EventStream): Promise<void> {
    const { tenantId, ended } = stream
    const from = stream.position
    const pages = this.#deps.feed.since(from, tenantId, ended)[Symbol.asyncIterator]()
    for (;;) {
      const page = await this.#inTurn(stream, () => pages.next())
      if (page === undefined || page.done === true) break
      stream.write(this.#encode(toFrames(page.value.events, tenantId), stream))
      stream.position = page.value.through
      await stream.drained()
    }
    await pages.return?.()
    if (stream.position === from) await pause(RETRY_MS, ended)
  }

  async #inTurn<Result>({ tenantId, ended }: EventStream, act: () => Promise<Result>): Promise<Result | undefined> {
    const turn = await this.#turns.take(tenantId, { signal: ended })
    if (turn.kind !== 'taken') return undefined
    try {
      return await act()
    } finally {
      turn.release()
    }
  }
}

const toFrames = (events: readonly Followed[], tenantId: TenantId): readonly Frame[] =>
  events.flatMap((followed) => (followed.event.state.tenantId === tenantId ? (toFrame(followed) ?? []) : []))

const after = (frames: readonly Frame[], reached: Position): readonly Frame[] =>
  frames.filter(({ position }) => position > reached)
