/** Keeps the index up to date with the log: idempotent, and resumable from any position. */
import { owedReceipt } from '../../domain/message/owed-receipts.ts'
import { type Handoff, toHandoff } from '../../domain/message/usage.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Changes, type EventLog, type Followed, type Position, START } from '../../ports/event-log.ts'
import type { ProjectedIndex, Projection } from '../../ports/message-index.ts'
import type { ReceiptDeliveries } from '../../ports/receipt-deliveries.ts'
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
  /** Queues the delivery receipts that are owed. */
  receiptDeliveries?: Pick<ReceiptDeliveries, 'enqueue'>
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
  const read = (): ReturnType<typeof source.next> => {
    const next = source.next()
    // Awaited later.
    next.catch(() => undefined)
    return next
  }
  try {
    for (let next = read(); ; ) {
      const page = projection.isHolding ? await Promise.race([next, deps.rest()]) : await next
      if (page === undefined) await projection.write()
      else if (page.done === true) return
      else if (await isBehind(deps, page.value)) {
        // Read beside the writes.
        next = read()
        await projection.add(page.value)
      } else {
        await projection.add(page.value)
        // Larger pages cost less an event, and have only the newest of several states of a message.
        await deps.rest()
        next = read()
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
    // Enqueued before the position advances: a crash in between repeats it.
    const newest = newestOf(events)
    await this.#deps.webhookDeliveries?.enqueue(newest.map(toChanged))
    await this.#deps.receiptDeliveries?.enqueue(newest.filter(owesReceipt).map(toChanged))
    this.#held.add(events, performance.now())
    this.#through = through
    await this.write()
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

async function isBehind({ log, portions = SMALL }: ProjectDeps, { through, events }: Changes): Promise<boolean> {
  const pending = events.at(-1)?.pending
  return pending === undefined ? through < (await log.tip()) : pending >= portions.page
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
  const handoffs = handoffsIn(events)
  return omitUndefined({ state: event.state, position, searchable, contentBytes, handoffs })
}

/** Undefined if there are none. */
function handoffsIn(events: readonly Followed[]): readonly Handoff[] | undefined {
  const found = events.filter(mayBeHandoff).flatMap(({ event }) => toHandoff(event) ?? [])
  return found.length === 0 ? undefined : found
}

/** Without decoding the event. In a text of another field the quotes would be escaped. */
const mayBeHandoff = ({ encoded }: Followed): boolean =>
  encoded === undefined || encoded.body.includes('"kind":"HandoffAccepted"')

const owesReceipt = ({ event }: Followed): boolean => owedReceipt(event.state) !== undefined

const toChanged = ({ event: { state }, position }: Followed): ChangedMessage => ({
  messageId: state.id,
  tenantId: state.tenantId,
  accountId: state.accountId,
  position,
  hasCallback: state.callback === true,
  at: state.updatedAt,
})
