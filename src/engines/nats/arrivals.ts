/**
 * Lines that this process does not poll. The broker announces every job that it stores on a subject of the job's
 * line, also one whose schedule fires, so a subscription per idle line is enough to hear of its next job.
 *
 * An announcement is not kept: those made while nobody was connected are made up for by looking at the streams.
 */
import type { Subscription } from '@nats-io/transport-node'
import { Unavailable } from '../../ports/unavailable.ts'
import type { JetStream } from './jetstream.ts'
import { pause } from './pause.ts'
import { consumerOf, type Names, type TenantLane } from './subjects.ts'

type Expected = Readonly<{ line: TenantLane; subscription: Subscription }>

const ASKED_AT_ONCE = 500
/** After a restart the broker needs a moment until its streams can be read. */
const LOOK_AGAIN_MS = 250

export class Arrivals implements Disposable {
  readonly #js: JetStream
  readonly #names: Names
  readonly #onArrival: (line: TenantLane) => void
  readonly #expected = new Map<string, Expected>()
  readonly #unlisten: () => void
  #looking: Promise<void> | undefined

  constructor(js: JetStream, names: Names, onArrival: (line: TenantLane) => void) {
    this.#js = js
    this.#names = names
    this.#onArrival = onArrival
    this.#unlisten = js.connection.onTurn(() => this.#reconnected())
  }

  /** Reports each line once: as soon as it has a job. Rejects with `Unavailable` where that cannot be seen now. */
  async expect(lines: readonly TenantLane[]): Promise<void> {
    const added = lines.filter((line) => !this.#expected.has(consumerOf(line))).map((line) => this.#subscribe(line))
    // Only now: a job that is stored between the look and the subscription would be missed.
    try {
      await this.#look(added.map(({ line }) => line))
    } catch (error) {
      // A repeated call would pass over lines that are expected already, and never see the jobs they have.
      for (const one of added) if (this.#expected.get(consumerOf(one.line)) === one) this.cancel(one.line)
      throw error
    }
  }

  /** The line is polled again. */
  cancel(line: TenantLane): void {
    this.#expected.get(consumerOf(line))?.subscription.unsubscribe()
    this.#expected.delete(consumerOf(line))
  }

  [Symbol.dispose](): void {
    this.#unlisten()
    for (const { line } of [...this.#expected.values()]) this.cancel(line)
  }

  #subscribe(line: TenantLane): Expected {
    const subscription = this.#js.connection.subscribe(this.#names.ready(line), () => this.#arrived(line))
    const expected = { line, subscription }
    this.#expected.set(consumerOf(line), expected)
    return expected
  }

  #arrived(line: TenantLane): void {
    if (!this.#expected.has(consumerOf(line))) return
    this.cancel(line)
    this.#onArrival(line)
  }

  async #look(lines: readonly TenantLane[]): Promise<void> {
    for (let start = 0; start < lines.length; start += ASKED_AT_ONCE) {
      const some = lines.slice(start, start + ASKED_AT_ONCE)
      const hasJob = await Promise.all(some.map((line) => this.#hasJob(line)))
      for (const [at, line] of some.entries()) if (hasJob[at] === true) this.#arrived(line)
    }
  }

  async #hasJob(line: TenantLane): Promise<boolean> {
    const query = { seq: 1, next_by_subj: this.#names.jobsIn(line) }
    return (await this.#js.get(this.#names.jobsOf(line.tenantId), query)) !== undefined
  }

  #reconnected(): void {
    if (!this.#js.connection.isUp) return
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = undefined
    })
  }

  /** Subscriptions are back by themselves. What goes wrong besides is left to the repair of forgotten messages. */
  async #lookAtAll(): Promise<void> {
    while (this.#js.connection.isUp) {
      try {
        return await this.#look([...this.#expected.values()].map(({ line }) => line))
      } catch (error) {
        if (!(error instanceof Unavailable)) return
        await pause(LOOK_AGAIN_MS)
      }
    }
  }
}
