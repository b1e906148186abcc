/** The deliveries of one consumer: pulls what is available, and waits when there is nothing. */
import { type Signal, signal } from '../../lib/signal.ts'
import type { Connection } from './connection.ts'
import { type Delivery, type PullEnd, Puller, type PullRequest } from './pulls.ts'

/** How long the broker keeps a waiting pull request open. */
const WAIT_MS = 5_000

export class Intake implements AsyncDisposable {
  readonly #puller: Puller
  readonly #changed: Signal = signal()
  readonly #arrived: Delivery[] = []

  constructor(connection: Connection, stream: string, consumer: string) {
    this.#puller = new Puller(connection, stream, consumer, (delivery) => {
      this.#arrived.push(delivery)
      this.#changed.notify()
    })
  }

  /** At least one delivery and at most `limit`; none when the consumer is gone or the signal has aborted. */
  async next(limit: number, signal: AbortSignal, extra: PullRequest['extra'] = {}): Promise<readonly Delivery[]> {
    while (!signal.aborted) {
      const batch = limit - this.#arrived.length
      const end = batch > 0 ? await this.#puller.pull({ batch, extra }) : 'full'
      if (this.#arrived.length > 0) return this.#arrived.splice(0, limit)
      if (end !== 'empty' || isOver(await this.#wait(signal, extra))) return []
    }
    return []
  }

  /** What can be delivered now, up to `limit`; undefined when the consumer is gone. */
  async available(limit: number): Promise<readonly Delivery[] | undefined> {
    const end = await this.#puller.pull({ batch: limit })
    return this.#arrived.length === 0 && isOver(end) ? undefined : this.#arrived.splice(0, limit)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#puller[Symbol.asyncDispose]()
  }

  /** Waits for the first delivery, the end of the pull request or the signal. */
  async #wait(signal: AbortSignal, extra: PullRequest['extra'] = {}): Promise<PullEnd> {
    const asked = this.#puller.pull({ batch: 1, waitMs: WAIT_MS, extra })
    void asked.then(() => this.#changed.notify())
    await this.#changed.wait(signal)
    return signal.aborted ? 'lost' : asked
  }
}

const isOver = (end: PullEnd): boolean => end === 'gone' || end === 'lost'
