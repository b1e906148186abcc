/**
 * Polls silent providers in rounds, one every few seconds among all processes. A round continues where the last one
 * began, whichever process ran it. While the index is unavailable, silent messages are found in the log.
 */
import { ASKED_OFTEN } from '../domain/message/polling.ts'
import type { MessageState } from '../domain/message/state.ts'
import { IndexUnavailable, type PollDeps, poll, pollMessages } from '../flows/receive/poll.ts'
import { type Instant, later, millis, seconds } from '../lib/time.ts'
import type { RoundLock } from '../ports/round-lock.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { SilentMessageScan } from './silent-message-scan.ts'

export type PollingDeps = PollDeps & Readonly<{ rounds: RoundLock }>

/** How often a process tries to begin a round. */
export const POLL_EVERY_MS = 5_000
/** A little less than that, because clocks and timers differ. */
const REST = seconds(-4)
/** The longest time a round waits for the log to be read; what is left is for the next one. */
const CATCH_UP_MS = 2_000

export class Polling implements AsyncDisposable {
  readonly #deps: PollingDeps
  /** The start of a round that a store outage interrupted, to be repeated by our next round. */
  #owed: Instant | undefined
  #watch: SilentMessageScan | undefined
  /** The same for rounds by the log that had not been read far enough. */
  #behind: Instant | undefined
  #isClosed = false

  constructor(deps: PollingDeps) {
    this.#deps = deps
  }

  /** Runs a round, if no other process has. */
  async round(): Promise<void> {
    const now = this.#deps.clock()
    const lastLook = await this.#deps.rounds.begin('poll', now, later(now, REST))
    if (lastLook !== undefined) await this.#askAll(lastLook, now)
    else if (this.#watch !== undefined && (await this.#isIndexed(this.#watch))) await this.#endWatch()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#endWatch()
  }

  async #askAll(lastLook: Instant, now: Instant): Promise<void> {
    const from: Instant = this.#owed !== undefined && this.#owed < lastLook ? this.#owed : lastLook
    this.#owed = undefined
    try {
      await poll(this.#deps, from, now)
      if (this.#watch === undefined) return
      if (await this.#isIndexed(this.#watch)) return await this.#endWatch()
    } catch (error) {
      if (error instanceof Unavailable) this.#owed = from
      if (!(error instanceof IndexUnavailable)) throw error
    }
    await this.#askByLog(lastLook, now)
  }

  /** Messages that have been silent for long are polled every two hours, and wait for the index. */
  async #askByLog(lastLook: Instant, now: Instant): Promise<void> {
    if (this.#isClosed) return
    const watch = this.#watch ?? this.#startWatch(later(now, millis(-ASKED_OFTEN)))
    const from: Instant = this.#behind ?? lastLook
    this.#behind = from
    if (!(await watch.isCaughtUp(CATCH_UP_MS))) return
    this.#behind = undefined
    await pollMessages(this.#deps, watch.due(from, now), now)
  }

  #startWatch(since: Instant): SilentMessageScan {
    this.#watch = new SilentMessageScan({ log: this.#deps.log, canAsk: (state) => this.#canAsk(state) }, since)
    return this.#watch
  }

  #canAsk({ provider, erased }: MessageState): boolean {
    return !erased && provider !== undefined && this.#deps.providers.get(provider)?.lookup !== undefined
  }

  /** An index that was unavailable does not yet have what was sent meanwhile. */
  async #isIndexed({ through }: SilentMessageScan): Promise<boolean> {
    try {
      return (await this.#deps.index.position()) >= through
    } catch (error) {
      if (error instanceof Unavailable) return false
      throw error
    }
  }

  async #endWatch(): Promise<void> {
    const watch = this.#watch
    this.#watch = undefined
    this.#behind = undefined
    await watch?.[Symbol.asyncDispose]()
  }
}
