/** Keeps the index up to date with the log: idempotent, and resumable from any position. */
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Changes, type EventLog, type Followed, type Position, START } from '../../ports/event-log.ts'
import type { ProjectedIndex, Projection } from '../../ports/message-index.ts'
import type { Timeline } from '../../ports/timeline.ts'
import type { ChangedMessage, WebhookDeliveries } from '../../ports/webhook-deliveries.ts'
import { type Held, HeldMessages } from './held-messages.ts'

export type ProjectDeps = Readonly<{
  log: EventLog
  index: ProjectedIndex
  /** Stores a copy of every event. */
  timeline?: Timeline
  /** Queues webhook deliveries for every change. */
  webhookDeliveries?: Pick<WebhookDeliveries, 'enqueue'>
  /** Waits before the next page, so that only the newest state of a busy message is written. */
  rest: () => Promise<void>
  portions?: Portions
  onProgress?: (through: Position) => void
}>

/** The sizes of reads and writes. `holdMs`: how long a message that has not ended waits for more events. */
export type Portions = Readonly<{ page: number; step: number; holdMs?: number }>

/** Small enough not to delay others that share the store. */
const SMALL: Portions = { page: 128, step: 16 }

/** While messages are held, writes are at least this far apart, unless many messages have ended. */
const WRITE_EVERY_MS = 100
const MANY = 256

/** Runs until `signal` ends it. */
export async function project(deps: ProjectDeps, signal: AbortSignal): Promise<void> {
  const stop = new AbortController()
  const start = await deps.index.position()
  const source = pages(deps, start, AbortSignal.any([signal, stop.signal]))[Symbol.asyncIterator]()
  const projection = new Projecting(deps, start)
  try {
    for (let next = source.next(); ; ) {
      const page = projection.isHolding ? await Promise.race([next, deps.rest()]) : await next
      if (page === undefined) await projection.write()
      else if (page.done === true) return
      else {
        await projection.add(page.value)
        next = source.next()
      }
    }
  } finally {
    stop.abort()
    await source.return?.()
  }
}

class Projecting {
  readonly #deps: ProjectDeps
  readonly #portions: Portions
  readonly #held: HeldMessages
  #through: Position
  #written: Position
  #wroteAt = Number.NEGATIVE_INFINITY

  constructor(deps: ProjectDeps, start: Position) {
    this.#deps = deps
    this.#portions = deps.portions ?? SMALL
    this.#held = new HeldMessages(this.#portions.holdMs ?? 0)
    this.#through = start
    this.#written = start
  }

  get isHolding(): boolean {
    return this.#held.size > 0
  }

  async add({ through, events }: Changes): Promise<void> {
    const { log, webhookDeliveries, rest } = this.#deps
    // Enqueued before the position advances: a crash in between repeats it.
    await webhookDeliveries?.enqueue(newestOf(events).map(toChanged))
    this.#held.add(events, performance.now())
    this.#through = through
    await this.write()
    const pending = events.at(-1)?.pending
    // Larger pages cost less an event, and have only the newest of several states of a message.
    if (pending === undefined ? through >= (await log.tip()) : pending < this.#portions.page) await rest()
  }

  /** Writes what need not wait any longer, unless it is little and was done a moment ago. */
  async write(): Promise<void> {
    const now = performance.now()
    const isSoon = this.isHolding && this.#held.ended < MANY && now - this.#wroteAt < WRITE_EVERY_MS
    if (isSoon && this.#portions.holdMs !== undefined) return
    const due = this.#held.take(now)
    const through = this.#held.writtenThrough(this.#through)
    if (due.length === 0 && through === this.#written) return
    const { index, timeline, onProgress } = this.#deps
    const { step } = this.#portions
    await timeline?.keep(due.flatMap(({ events }) => events))
    for (let start = 0; start === 0 || start < due.length; start += step) {
      const isLast = start + step >= due.length
      await index.apply(due.slice(start, start + step).map(toProjection), isLast ? through : START)
    }
    this.#written = through
    this.#wroteAt = now
    onProgress?.(through)
  }
}

/** The timeline needs all events; the index needs only the newest of each message. */
function pages(deps: ProjectDeps, after: Position, signal: AbortSignal): AsyncIterable<Changes> {
  const { log, timeline, portions: { page } = SMALL } = deps
  return timeline === undefined ? log.changes(after, page, signal) : everything(log.follow(after, page, signal))
}

async function* everything(pages: AsyncIterable<readonly Followed[]>): AsyncIterable<Changes> {
  for await (const events of pages) {
    const last = events.at(-1)
    if (last !== undefined) yield { through: last.position, events }
  }
}

const newestOf = (events: readonly Followed[]): readonly Followed[] => [
  ...new Map(events.map((followed) => [followed.messageId, followed])).values(),
]

/** The newest state, with what came with the first event. */
function toProjection({ events, searchable, contentBytes }: Held): Projection {
  const { event, position } = events.at(-1) as Followed
  return omitUndefined({ state: event.state, position, searchable, contentBytes })
}

const toChanged = ({ event: { state }, position }: Followed): ChangedMessage => ({
  messageId: state.id,
  tenantId: state.tenantId,
  accountId: state.accountId,
  position,
  hasCallback: state.callback === true,
  at: state.updatedAt,
})
