/**
 * Asking silent providers in rounds, of which all processes together make one every few seconds. A round goes on
 * where the last one was begun, whoever made that. While the index is away, silent messages are found by the log.
 */
import { ASKED_OFTEN } from '../domain/message/polling.ts'
import type { MessageState } from '../domain/message/state.ts'
import { IndexAway, type PollDeps, poll, pollMessages } from '../flows/receive/poll.ts'
import { type Instant, later, millis, seconds } from '../lib/time.ts'
import type { RoundLock } from '../ports/round-lock.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { SilenceWatch } from './silent-message-scan.ts'

export type PollingDeps = PollDeps & Readonly<{ rounds: RoundLock }>

/** How often a process is to try to begin one. */
export const POLL_EVERY_MS = 5_000
/** A little less: clocks and timers differ. */
const REST = seconds(-4)
/** A round waits no longer than this for the log to be read; what could not be asked then is for the next one. */
const CATCH_UP_MS = 2_000

export class Polling implements AsyncDisposable {
  readonly #deps: PollingDeps
  /** What could not be asked because a store was away is made up for in our next round. */
  #owed: Instant | undefined
  #watch: SilenceWatch | undefined
  /** The same for rounds by the log, which had not been read far enough. */
  #behind: Instant | undefined
  #isClosed = false

  constructor(deps: PollingDeps) {
    this.#deps = deps
  }

  /** The chore of a poller: a round, if it is ours to make. */
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
      if (!(error instanceof IndexAway)) throw error
    }
    await this.#askByLog(lastLook, now)
  }

  /** What has been silent for long is asked about every two hours, and waits for the index. */
  async #askByLog(lastLook: Instant, now: Instant): Promise<void> {
    if (this.#isClosed) return
    const watch = this.#watch ?? this.#startWatch(later(now, millis(-ASKED_OFTEN)))
    const from: Instant = this.#behind ?? lastLook
    this.#behind = from
    if (!(await watch.isCaughtUp(CATCH_UP_MS))) return
    this.#behind = undefined
    await pollMessages(this.#deps, watch.due(from, now), now)
  }

  #startWatch(since: Instant): SilenceWatch {
    this.#watch = new SilenceWatch({ log: this.#deps.log, canAsk: (state) => this.#canAsk(state) }, since)
    return this.#watch
  }

  #canAsk({ provider, erased }: MessageState): boolean {
    return !erased && provider !== undefined && this.#deps.providers.get(provider)?.lookup !== undefined
  }

  /** An index that is just back does not know yet of what was sent while it was away. */
  async #isIndexed({ through }: SilenceWatch): Promise<boolean> {
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
