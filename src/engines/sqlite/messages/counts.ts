/**
 * Statistics that are kept, not counted: for every shape, the number and the latencies of messages by minute, hour and day
 * of their creation. Written in the transaction that files the messages, once per row however many there are.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageState } from '../../../domain/message/state.ts'
import { type Histogram, SPANS } from '../../shared/figures.ts'

export const COUNT_TABLES = `
  create table counts (
    shape integer not null,
    -- Milliseconds: a minute, an hour or a day, and when it starts.
    span integer not null,
    start integer not null,
    count integer not null,
    -- Latencies, JSON: how many messages took how many milliseconds.
    handoffs text not null,
    deliveries text not null,
    primary key (shape, span, start)
  ) strict, without rowid;
`

/** Milliseconds until a message was handed off, and from then until it was delivered. */
export type Latencies = Readonly<{ handoff: number | undefined; delivery: number | undefined }>

/** A report may overtake the provider's answer: then the latency is zero. */
export function latenciesOf({ createdAt, handedOffAt, endedAt, providerState }: MessageState): Latencies {
  if (handedOffAt === undefined) return { handoff: undefined, delivery: undefined }
  const isDelivered = providerState === 'delivered' && endedAt !== undefined
  return {
    handoff: toLatency(handedOffAt - createdAt),
    delivery: isDelivered ? toLatency(endedAt - handedOffAt) : undefined,
  }
}

/** Three digits, so that there are few different ones. */
function toLatency(span: number): number {
  let unit = 1
  while (span >= unit * 1000) unit *= 10
  return Math.max(0, Math.round(span / unit) * unit)
}

type Change = { readonly shape: number; readonly minute: number; count: number } & Readonly<{
  handoffs: Histogram
  deliveries: Histogram
}>

/** A message as it is counted. */
export type Counted = Readonly<{ shape: number; createdAt: number; latencies: Latencies }>

export class Counts {
  readonly #sql: ReturnType<typeof prepare>
  readonly #changes = new Map<string, Change>()

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db)
  }

  add(message: Counted): void {
    this.#change(message, 1)
  }

  subtract(message: Counted): void {
    this.#change(message, -1)
  }

  /** Writes what has changed. In the transaction of these changes. */
  flush(): void {
    for (const change of this.#changes.values()) for (const span of SPANS) this.#write(change, span)
    this.#changes.clear()
  }

  /** The transaction was rolled back. */
  recall(): void {
    this.#changes.clear()
  }

  clear(): void {
    this.#changes.clear()
    this.#sql.clear.run()
  }

  #change({ shape, createdAt, latencies: { handoff, delivery } }: Counted, by: 1 | -1): void {
    const minute = Math.floor(createdAt / SPANS[0])
    const name = `${shape} ${minute}`
    let change = this.#changes.get(name)
    if (change === undefined) {
      change = { shape, minute, count: 0, handoffs: new Map(), deliveries: new Map() }
      this.#changes.set(name, change)
    }
    change.count += by
    tally(change.handoffs, handoff, by)
    tally(change.deliveries, delivery, by)
  }

  #write({ shape, minute, count, handoffs, deliveries }: Change, span: number): void {
    const start = Math.floor((minute * SPANS[0]) / span) * span
    const row = this.#sql.read.get(shape, span, start)
    const total = Number(row?.['count'] ?? 0) + count
    if (total === 0) this.#sql.remove.run(shape, span, start)
    else {
      const merged = [merge(row?.['handoffs'], handoffs), merge(row?.['deliveries'], deliveries)] as const
      this.#sql.write.run(shape, span, start, total, ...merged)
    }
  }
}

function tally(histogram: Histogram, latency: number | undefined, by: number): void {
  if (latency !== undefined) histogram.set(latency, (histogram.get(latency) ?? 0) + by)
}

function merge(stored: unknown, changes: Histogram): string {
  const merged = new Map<string | number, number>(parseHistogram(stored))
  for (const [latency, count] of changes) {
    const total = (merged.get(latency) ?? 0) + count
    if (total === 0) merged.delete(latency)
    else merged.set(latency, total)
  }
  return JSON.stringify(Object.fromEntries(merged))
}

export const parseHistogram = (stored: unknown): Histogram =>
  new Map(
    typeof stored === 'string'
      ? Object.entries(JSON.parse(stored) as Record<string, number>).map(([latency, count]) => [Number(latency), count])
      : [],
  )

const prepare = (db: DatabaseSync) => ({
  read: db.prepare('select count, handoffs, deliveries from counts where shape = ? and span = ? and start = ?'),
  write: db.prepare(`
    insert or replace into counts (shape, span, start, count, handoffs, deliveries)
    values (?, ?, ?, ?, ?, ?)
  `),
  remove: db.prepare('delete from counts where shape = ? and span = ? and start = ?'),
  clear: db.prepare('delete from counts'),
})
