/**
 * Tenant queues that this process does not poll because they are idle. The broker republishes every job it stores,
 * including one whose schedule fires, on a subject of the job's queue, so one subscription per idle queue is enough
 * to notice its next job.
 *
 * Republished messages are not stored. After a reconnect we check the streams for the ones we missed.
 */
import type { Subscription } from '@nats-io/transport-node'
import { pause } from '../../lib/pause.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { JetStream } from './jetstream.ts'
import { consumerOf, type Names, type TenantLane } from './subjects.ts'

type Watched = Readonly<{ key: TenantLane; subscription: Subscription }>

const CHECK_BATCH = 500
/** After a restart the broker needs a moment until its streams can be read. */
const CHECK_AGAIN_MS = 250

export class Arrivals implements Disposable {
  readonly #js: JetStream
  readonly #names: Names
  readonly #onArrival: (key: TenantLane) => void
  readonly #watched = new Map<string, Watched>()
  readonly #removeListener: () => void
  #checking: Promise<void> | undefined

  constructor(js: JetStream, names: Names, onArrival: (key: TenantLane) => void) {
    this.#js = js
    this.#names = names
    this.#onArrival = onArrival
    this.#removeListener = js.connection.onStateChange(() => this.#reconnected())
  }

  /** Reports each queue once, as soon as it has a job. Rejects with `Unavailable` when the broker cannot tell. */
  async watch(keys: readonly TenantLane[]): Promise<void> {
    const added = keys.filter((key) => !this.#watched.has(consumerOf(key))).map((key) => this.#subscribe(key))
    // Check after subscribing: otherwise a job stored in between would be missed.
    try {
      await this.#check(added.map(({ key }) => key))
    } catch (error) {
      // A repeated call skips queues that are watched already and would never see the jobs they have.
      for (const one of added) if (this.#watched.get(consumerOf(one.key)) === one) this.cancel(one.key)
      throw error
    }
  }

  /** Stops watching: the queue is polled again. */
  cancel(key: TenantLane): void {
    this.#watched.get(consumerOf(key))?.subscription.unsubscribe()
    this.#watched.delete(consumerOf(key))
  }

  [Symbol.dispose](): void {
    this.#removeListener()
    for (const { key } of [...this.#watched.values()]) this.cancel(key)
  }

  #subscribe(key: TenantLane): Watched {
    const subscription = this.#js.connection.subscribe(this.#names.ready(key), () => this.#arrived(key))
    const watched = { key, subscription }
    this.#watched.set(consumerOf(key), watched)
    return watched
  }

  #arrived(key: TenantLane): void {
    if (!this.#watched.has(consumerOf(key))) return
    this.cancel(key)
    this.#onArrival(key)
  }

  async #check(keys: readonly TenantLane[]): Promise<void> {
    for (let start = 0; start < keys.length; start += CHECK_BATCH) {
      const some = keys.slice(start, start + CHECK_BATCH)
      const hasJob = await Promise.all(some.map((key) => this.#hasJob(key)))
      for (const [at, key] of some.entries()) if (hasJob[at] === true) this.#arrived(key)
    }
  }

  async #hasJob(key: TenantLane): Promise<boolean> {
    const query = { seq: 1, next_by_subj: this.#names.jobsIn(key) }
    return (await this.#js.get(this.#names.jobsOf(key.tenantId), query)) !== undefined
  }

  #reconnected(): void {
    if (!this.#js.connection.isUp) return
    this.#checking ??= this.#checkAll().finally(() => {
      this.#checking = undefined
    })
  }

  /** The driver restores the subscriptions. Other errors are left to the recovery of stuck messages. */
  async #checkAll(): Promise<void> {
    while (this.#js.connection.isUp) {
      try {
        return await this.#check([...this.#watched.values()].map(({ key }) => key))
      } catch (error) {
        if (!(error instanceof Unavailable)) return
        await pause(CHECK_AGAIN_MS)
      }
    }
  }
}
