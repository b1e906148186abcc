/**
 * Which lines there are. Whoever puts a job tells its line, now and then: those who take jobs hear
 * it at once, and a stream keeps the last word on every line for those who start later.
 */
import type { Subscription } from '@nats-io/transport-node'
import { type Millis, millis, seconds } from '../../lib/time.ts'
import type { Job } from '../../ports/queue.ts'
import type { Connection } from './connection.ts'
import type { JetStream } from './jetstream.ts'
import { consumerOf, type Names, parseLine, type TenantLane } from './subjects.ts'

export type Watcher = Readonly<{
  /** Somebody put a job there. */
  onTold: (line: TenantLane) => void
  /** Lines of which somebody has told within the last days. */
  onKept: (lines: readonly TenantLane[]) => Promise<void>
}>

/** `again` is for when nobody may have noticed the last time. */
type Urgency = 'again'

const TELL_EVERY: Millis = seconds(30)
const TELL_AGAIN_EVERY: Millis = millis(500)
const LOOK_AGAIN_MS = 1_000
/** To forget a line is to tell of it once too often. */
const REMEMBERED = 10_000

export class LineRegistry implements Disposable {
  readonly #connection: Connection
  readonly #js: JetStream
  readonly #names: Names
  readonly #told = new Map<string, Readonly<{ line: TenantLane; at: number }>>()
  readonly #unlisten: () => void
  #subscription: Subscription | undefined
  #again: NodeJS.Timeout | undefined
  #watcher: Watcher | undefined

  constructor(js: JetStream, names: Names) {
    this.#js = js
    this.#connection = js.connection
    this.#names = names
    this.#unlisten = this.#connection.onTurn(() => this.#tellAgain())
  }

  /** Tells of a job's line, unless that was done lately. */
  tell(job: Job, urgency?: Urgency): void {
    this.#watcher?.onTold(job)
    const name = consumerOf(job)
    const since = performance.now() - (this.#told.get(name)?.at ?? Number.NEGATIVE_INFINITY)
    if (since < (urgency === 'again' ? TELL_AGAIN_EVERY : TELL_EVERY) || !this.#connection.isUp) return
    if (this.#told.size >= REMEMBERED) this.#told.clear()
    this.#told.set(name, { line: { lane: job.lane, tenantId: job.tenantId }, at: performance.now() })
    this.#connection.tell(this.#names.line(job))
  }

  /** Reports the lines that are kept, and every one that is told of from now on. */
  async watch(watcher: Watcher): Promise<void> {
    this.#watcher = watcher
    this.#subscription ??= this.#connection.subscribe(this.#names.anyLine, ({ subject }) =>
      this.#watcher?.onTold(parseLine(subject)),
    )
    for (const { line } of this.#told.values()) watcher.onTold(line)
    await this.#readKept()
    // What was told just before we listened may not have been kept yet when we looked.
    this.#again ??= setTimeout(() => void this.#readKept().catch(() => undefined), LOOK_AGAIN_MS).unref()
  }

  /** What was told last may have been lost with the broker, and with it a job that nobody would look for. */
  #tellAgain(): void {
    if (!this.#connection.isUp) return
    for (const { line } of this.#told.values()) this.#connection.tell(this.#names.line(line))
  }

  [Symbol.dispose](): void {
    this.#unlisten()
    clearTimeout(this.#again)
    this.#subscription?.unsubscribe()
  }

  async #readKept(): Promise<void> {
    await this.#watcher?.onKept((await this.#kept()).map(parseLine))
  }

  async #kept(): Promise<readonly string[]> {
    type Info = { state: { subjects?: Record<string, number> }; total?: number }
    const all: string[] = []
    for (;;) {
      const query = { subjects_filter: this.#names.anyLine, offset: all.length }
      const { state, total = 0 } = await this.#js.api<Info>(`STREAM.INFO.${this.#names.lines}`, query)
      const page = Object.keys(state.subjects ?? {})
      all.push(...page)
      if (page.length === 0 || all.length >= total) return all
    }
  }
}
