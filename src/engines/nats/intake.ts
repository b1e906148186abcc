/** What one consumer has to hand out: asked for at once, and waited for where there is nothing. */
import { type Bell, bell } from './bell.ts'
import type { Connection } from './connection.ts'
import { type Delivery, type PullEnd, Puller, type PullRequest } from './pulls.ts'

/** How long the broker holds a question for more. */
const WAIT_MS = 5_000

export class Intake implements AsyncDisposable {
  readonly #puller: Puller
  readonly #news: Bell = bell()
  readonly #arrived: Delivery[] = []

  constructor(connection: Connection, stream: string, consumer: string) {
    this.#puller = new Puller(connection, stream, consumer, (delivery) => {
      this.#arrived.push(delivery)
      this.#news.ring()
    })
  }

  /** At least one delivery and at most `limit`; none when the consumer cannot be asked any more, or the signal has ended. */
  async next(limit: number, signal: AbortSignal, extra: PullRequest['extra'] = {}): Promise<readonly Delivery[]> {
    while (!signal.aborted) {
      const batch = limit - this.#arrived.length
      const end = batch > 0 ? await this.#puller.pull({ batch, extra }) : 'full'
      if (this.#arrived.length > 0) return this.#arrived.splice(0, limit)
      if (end !== 'empty' || isOver(await this.#wait(signal, extra))) return []
    }
    return []
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#puller[Symbol.asyncDispose]()
  }

  /** For the first message or the end of the signal, whatever becomes of the question. */
  async #wait(signal: AbortSignal, extra: PullRequest['extra'] = {}): Promise<PullEnd> {
    const asked = this.#puller.pull({ batch: 1, waitMs: WAIT_MS, extra })
    void asked.then(() => this.#news.ring())
    await this.#news.rung(signal)
    return signal.aborted ? 'lost' : asked
  }
}

const isOver = (end: PullEnd): boolean => end === 'gone' || end === 'lost'
