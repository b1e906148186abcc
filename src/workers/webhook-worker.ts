/**
 * The loop that tells customers: takes webhook deliveries that are due, tells them side by side, and looks again soon when
 * there were none. An endpoint that is slow or away holds a few hands, and the others go on.
 */

import { type DeliverDeps, deliverWebhook } from '../flows/webhooks/deliver-webhook.ts'
import { pause } from '../lib/pause.ts'
import { later, millis, seconds } from '../lib/time.ts'
import { DELIVERIES_KEPT_FOR, type TakenDelivery, type WebhookDeliveries } from '../ports/webhook-deliveries.ts'
import { Ticker } from './ticker.ts'

export type WebhookWorkerDeps = Omit<DeliverDeps, 'webhookDeliveries' | 'timeout' | 'lease'> &
  Readonly<{ webhookDeliveries: WebhookDeliveries }>

/** How long an endpoint may take to answer, and how long a webhook delivery stays in hand for one try. */
const TIMEOUT = seconds(15)
const LEASE = millis(TIMEOUT + seconds(30))
/** How many webhook deliveries are told at once, and how many of one endpoint. */
export const CONCURRENCY = 256
export const CONCURRENCY_PER_ENDPOINT = 32
/** How long it waits when there was nothing to tell. */
const IDLE_MS = 500
/** How long hands that were freed wait for others, to be filled together. */
const GATHER_MS = 20
const FAULT_PAUSE_MS = 1_000
const FORGET_EVERY_MS = 60_000

export class WebhookWorker implements AsyncDisposable {
  readonly #deps: WebhookWorkerDeps
  readonly #onFault: (error: unknown) => void
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  readonly #forgetting: Ticker
  readonly #inHand = new Set<Promise<void>>()
  /** Ends the wait for something to do: a hand was freed, something went wrong, or it is over. */
  #wake = new AbortController()
  #isFaulty = false

  constructor(deps: WebhookWorkerDeps, onFault: (error: unknown) => void) {
    this.#deps = deps
    this.#onFault = onFault
    this.#forgetting = new Ticker({ task: () => this.#forget(), onFault }, FORGET_EVERY_MS)
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
      for (const delivery of taken) this.#begin(delivery)
      if (taken.length === 0) await pause(IDLE_MS, this.#wake.signal)
      await pause(GATHER_MS, signal)
    }
  }

  async #recover(signal: AbortSignal): Promise<void> {
    this.#isFaulty = false
    await pause(FAULT_PAUSE_MS, signal)
  }

  async #take(): Promise<readonly TakenDelivery[]> {
    const { webhookDeliveries, clock } = this.#deps
    const free = CONCURRENCY - this.#inHand.size
    const at = clock()
    try {
      return free === 0 ? [] : await webhookDeliveries.take(at, later(at, LEASE), free, CONCURRENCY_PER_ENDPOINT)
    } catch (error) {
      this.#tellFault(error)
      return []
    }
  }

  #begin(taken: TakenDelivery): void {
    const deps = { ...this.#deps, timeout: TIMEOUT, lease: LEASE }
    const work = deliverWebhook(deps, taken, this.#stop.signal)
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
    const { webhookDeliveries, clock } = this.#deps
    const before = later(clock(), millis(-DELIVERIES_KEPT_FOR))
    while (!this.#stop.signal.aborted && (await webhookDeliveries.forget(before)));
  }
}
