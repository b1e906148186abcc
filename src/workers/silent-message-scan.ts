/**
 * Finds silent messages in the log alone, while the index is unavailable: reads from a few hours back and follows from
 * there. Keeps its results in memory only.
 */
import type { MessageId } from '../domain/ids.ts'
import { SilentMessages } from '../domain/message/silent-messages.ts'
import type { MessageState } from '../domain/message/state.ts'
import { pause } from '../lib/pause.ts'
import type { Instant } from '../lib/time.ts'
import { type Changes, type EventLog, type Followed, type Position, START } from '../ports/event-log.ts'

export type SilentMessageScanDeps = Readonly<{
  log: EventLog
  /** Whether the provider supports look-ups. */
  canAsk: (state: MessageState) => boolean
}>

/** Each takes about 150 bytes. */
const MOST = 100_000
const PAGE = 500
/** The pause between pages until it has caught up: at most 25,000 events per second. */
const REST_MS = 20
const FAULT_PAUSE_MS = 1_000

export class SilentMessageScan implements AsyncDisposable {
  readonly #deps: SilentMessageScanDeps
  readonly #silent = new SilentMessages(MOST)
  readonly #stop = new AbortController()
  readonly #caughtUp = Promise.withResolvers<void>()
  readonly #running: Promise<void>
  #isCaughtUp = false
  #fault: unknown
  #through: Position = START

  constructor(deps: SilentMessageScanDeps, since: Instant) {
    this.#deps = deps
    this.#running = this.#run(since)
  }

  /** The position up to which it has read. */
  get through(): Position {
    return this.#through
  }

  /**
   * Whether it has read everything that was in the log at its start; waits a little for that. Rejects with the last
   * fault since.
   */
  async isCaughtUp(withinMs: number): Promise<boolean> {
    const ended = new AbortController()
    await Promise.race([this.#caughtUp.promise, pause(withinMs, ended.signal)])
    ended.abort()
    const fault = this.#fault
    this.#fault = undefined
    if (fault !== undefined) throw fault
    return this.#isCaughtUp
  }

  due(lastLook: Instant, now: Instant): readonly MessageId[] {
    return this.#silent.due(lastLook, now)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(since: Instant): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await this.#follow(since, signal)
      } catch (error) {
        this.#fault = error
        await pause(FAULT_PAUSE_MS, signal)
      }
    }
  }

  async #follow(since: Instant, signal: AbortSignal): Promise<void> {
    const { log } = this.#deps
    const tip = await log.tip()
    for await (const changes of log.changes(this.#through === START ? { since } : this.#through, PAGE, signal)) {
      this.#note(changes)
      if (changes.through >= tip) this.#catchUp()
      if (!this.#isCaughtUp) await pause(REST_MS, signal)
    }
  }

  #note({ through, events }: Changes): void {
    // Only the newest event of each message counts.
    const newest = new Map<MessageId, Followed>(events.map((followed) => [followed.messageId, followed]))
    for (const { messageId, event } of newest.values()) {
      if (this.#deps.canAsk(event.state)) this.#silent.note(event.state)
      else this.#silent.forget(messageId)
    }
    this.#through = through
  }

  #catchUp(): void {
    this.#isCaughtUp = true
    this.#caughtUp.resolve()
  }
}
