/**
 * Which tenant queues exist. A process that puts jobs announces their queue from time to time: processes that take
 * jobs receive it at once, and a stream keeps the newest announcement of every queue for those that start later.
 */
import type { Subscription } from '@nats-io/transport-node'
import { type Millis, millis, seconds } from '../../lib/time.ts'
import type { Job } from '../../ports/queue.ts'
import type { Connection } from './connection.ts'
import type { JetStream } from './jetstream.ts'
import { consumerOf, type Names, parseTenantLane, type TenantLane } from './subjects.ts'

export type Watcher = Readonly<{
  /** A process put a job there. */
  onAnnounced: (key: TenantLane) => void
  /** Queues announced within the last days. */
  onStored: (keys: readonly TenantLane[]) => Promise<void>
}>

/** `again` when the previous announcement may have gone unnoticed. */
type Urgency = 'again'

const ANNOUNCE_EVERY: Millis = seconds(30)
const ANNOUNCE_AGAIN_EVERY: Millis = millis(500)
const READ_AGAIN_MS = 1_000
/** An evicted queue is announced once more than necessary. */
const MAX_ANNOUNCED = 10_000

export class TenantQueueRegistry implements Disposable {
  readonly #connection: Connection
  readonly #js: JetStream
  readonly #names: Names
  readonly #announced = new Map<string, Readonly<{ key: TenantLane; at: number }>>()
  readonly #removeListener: () => void
  #subscription: Subscription | undefined
  #readAgain: NodeJS.Timeout | undefined
  #watcher: Watcher | undefined

  constructor(js: JetStream, names: Names) {
    this.#js = js
    this.#connection = js.connection
    this.#names = names
    this.#removeListener = this.#connection.onStateChange(() => this.#announceAll())
  }

  /** Announces a job's queue unless that was done recently. */
  announce(job: Job, urgency?: Urgency): void {
    this.#watcher?.onAnnounced(job)
    const name = consumerOf(job)
    const since = performance.now() - (this.#announced.get(name)?.at ?? Number.NEGATIVE_INFINITY)
    if (since < (urgency === 'again' ? ANNOUNCE_AGAIN_EVERY : ANNOUNCE_EVERY) || !this.#connection.isUp) return
    if (this.#announced.size >= MAX_ANNOUNCED) this.#announced.clear()
    this.#announced.set(name, { key: { lane: job.lane, tenantId: job.tenantId }, at: performance.now() })
    this.#connection.send(this.#names.queue(job))
  }

  /** Reports the stored queues, and every queue announced from now on. */
  async watch(watcher: Watcher): Promise<void> {
    this.#watcher = watcher
    this.#subscription ??= this.#connection.subscribe(this.#names.anyQueue, ({ subject }) =>
      this.#watcher?.onAnnounced(parseTenantLane(subject)),
    )
    for (const { key } of this.#announced.values()) watcher.onAnnounced(key)
    await this.#reportStored()
    // An announcement made just before we subscribed may not have been stored when we read.
    this.#readAgain ??= setTimeout(() => void this.#reportStored().catch(() => undefined), READ_AGAIN_MS).unref()
  }

  /** The broker may have lost the last announcements, and jobs in those queues would not be taken. */
  #announceAll(): void {
    if (!this.#connection.isUp) return
    for (const { key } of this.#announced.values()) this.#connection.send(this.#names.queue(key))
  }

  [Symbol.dispose](): void {
    this.#removeListener()
    clearTimeout(this.#readAgain)
    this.#subscription?.unsubscribe()
  }

  async #reportStored(): Promise<void> {
    await this.#watcher?.onStored((await this.#readStored()).map(parseTenantLane))
  }

  async #readStored(): Promise<readonly string[]> {
    type Info = { state: { subjects?: Record<string, number> }; total?: number }
    const all: string[] = []
    for (;;) {
      const query = { subjects_filter: this.#names.anyQueue, offset: all.length }
      const { state, total = 0 } = await this.#js.api<Info>(`STREAM.INFO.${this.#names.queues}`, query)
      const page = Object.keys(state.subjects ?? {})
      all.push(...page)
      if (page.length === 0 || all.length >= total) return all
    }
  }
}
