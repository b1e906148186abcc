/** One reading of the log for all streams of events, from when the first stream begins until the last one ends. */
import type { TenantId } from '../../domain/ids.ts'
import type { Changes, Followed, Position } from '../../ports/event-log.ts'
import { type Frame, toFrame } from './event-frames.ts'
import type { EventStream } from './event-stream.ts'
import { RecentEvents } from './recent-events.ts'

/** What is to be written to the live streams of each tenant, which have everything up to `before`. */
export type Page = Readonly<{ frames: ReadonlyMap<TenantId, readonly Frame[]>; before: Position }>

/** Events that happen within this time are written together. */
const FLUSH_MS = 20

export class Following {
  readonly stop = new AbortController()
  /** The streams that have everything up to `flushed`. */
  readonly live = new Set<EventStream>()
  /** Resolves once the log is being read. */
  readonly started: Promise<void>
  readonly #start: () => void
  readonly #deliver: (page: Page) => void
  readonly #hasStreams: (tenantId: TenantId) => boolean
  readonly #recent = new RecentEvents()
  #waiting: Followed[] = []
  #flushed = 0 as Position
  #reached = 0 as Position
  #timer: NodeJS.Timeout | undefined

  constructor(deliver: (page: Page) => void, hasStreams: (tenantId: TenantId) => boolean) {
    this.#deliver = deliver
    this.#hasStreams = hasStreams
    const { promise, resolve } = Promise.withResolvers<void>()
    this.started = promise
    this.#start = resolve
  }

  /** Where the live streams are. */
  get flushed(): Position {
    return this.#flushed
  }

  take({ through, events }: Changes): void {
    if (!this.#recent.hasBegun) {
      this.#recent.begin(through)
      this.#flushed = through
      this.#start()
    }
    this.#reached = through
    this.#recent.add(events)
    this.#waiting.push(...events)
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS)
  }

  /** The events between a position and the live streams; undefined if the oldest are not in memory any more. */
  since(position: Position): readonly Followed[] | undefined {
    return this.#recent.between(position, this.#flushed)
  }

  end(): void {
    this.stop.abort()
    this.#start()
    clearTimeout(this.#timer)
  }

  #flush(): void {
    this.#timer = undefined
    const [events, before] = [this.#waiting, this.#flushed]
    this.#waiting = []
    this.#flushed = this.#reached
    this.#deliver({ frames: this.#toFrames(events), before })
  }

  /**
   * Events of tenants without streams are not encoded. That is decided only now: a stream that was added since the event
   * starts before it.
   */
  #toFrames(events: readonly Followed[]): ReadonlyMap<TenantId, readonly Frame[]> {
    const byTenant = new Map<TenantId, Frame[]>()
    for (const followed of events) {
      const { tenantId } = followed.event.state
      const frame = this.#hasStreams(tenantId) ? toFrame(followed) : undefined
      if (frame === undefined) continue
      const frames = byTenant.get(tenantId) ?? []
      if (frames.push(frame) === 1) byTenant.set(tenantId, frames)
    }
    return byTenant
  }
}
