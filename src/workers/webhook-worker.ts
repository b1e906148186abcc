/**
 * The loop that tells customers: takes notices that are due, tells them side by side, and looks again soon when
 * there were none. An endpoint that is slow or away holds a few hands, and the others go on.
 */

import { type TellDeps, tell } from '../flows/webhooks/deliver-webhook.ts'
import { pause } from '../lib/pause.ts'
import { later, millis, seconds } from '../lib/time.ts'
import { NOTICES_KEPT_FOR, type Notices, type TakenNotice } from '../ports/webhook-deliveries.ts'
import { Ticker } from './ticker.ts'

export type NotifierDeps = Omit<TellDeps, 'notices' | 'timeout' | 'lease'> & Readonly<{ notices: Notices }>

/** How long an endpoint may take to answer, and how long a notice stays in hand for one try. */
const TIMEOUT = seconds(15)
const LEASE = millis(TIMEOUT + seconds(30))
/** How many notices are told at once, and how many of one endpoint. */
export const HANDS = 256
export const HANDS_OF_ONE = 32
/** How long it waits when there was nothing to tell. */
const IDLE_MS = 500
/** How long hands that were freed wait for others, to be filled together. */
const GATHER_MS = 20
const FAULT_PAUSE_MS = 1_000
const FORGET_EVERY_MS = 60_000

export class Notifier implements AsyncDisposable {
  readonly #deps: NotifierDeps
  readonly #onFault: (error: unknown) => void
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  readonly #forgetting: Ticker
  readonly #inHand = new Set<Promise<void>>()
  /** Ends the wait for something to do: a hand was freed, something went wrong, or it is over. */
  #wake = new AbortController()
  #isFaulty = false

  constructor(deps: NotifierDeps, onFault: (error: unknown) => void) {
    this.#deps = deps
    this.#onFault = onFault
    this.#forgetting = new Ticker({ chore: () => this.#forget(), onFault }, FORGET_EVERY_MS)
    this.#running = this.#run()
  }

  /** Takes no more, and waits for what is in hand: each tells the event that it is at. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#wake.abort()
    await this.#running
    await Promise.all(this.#inHand)
    await this.#forgetting[Symbol.asyncDispose]()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      if (this.#isFaulty) await this.#recover(signal)
      this.#wake = new AbortController()
      const taken = await this.#take()
      for (const notice of taken) this.#begin(notice)
      if (taken.length === 0) await pause(IDLE_MS, this.#wake.signal)
      await pause(GATHER_MS, signal)
    }
  }

  async #recover(signal: AbortSignal): Promise<void> {
    this.#isFaulty = false
    await pause(FAULT_PAUSE_MS, signal)
  }

  async #take(): Promise<readonly TakenNotice[]> {
    const { notices, clock } = this.#deps
    const free = HANDS - this.#inHand.size
    const at = clock()
    try {
      return free === 0 ? [] : await notices.take(at, later(at, LEASE), free, HANDS_OF_ONE)
    } catch (error) {
      this.#tellFault(error)
      return []
    }
  }

  #begin(taken: TakenNotice): void {
    const deps = { ...this.#deps, timeout: TIMEOUT, lease: LEASE }
    const work = tell(deps, taken, this.#stop.signal)
      .catch((error: unknown) => this.#tellFault(error))
      .finally(() => {
        this.#inHand.delete(work)
        this.#wake.abort()
      })
    this.#inHand.add(work)
  }

  #tellFault(error: unknown): void {
    this.#isFaulty = true
    this.#wake.abort()
    this.#onFault(error)
  }

  async #forget(): Promise<void> {
    const { notices, clock } = this.#deps
    const before = later(clock(), millis(-NOTICES_KEPT_FOR))
    while (!this.#stop.signal.aborted && (await notices.forget(before)));
  }
}
