/**
 * The webhook loop: takes due webhook deliveries, delivers them concurrently, and polls again soon when there were
 * none. A slow endpoint takes up only its share of the concurrency.
 */

import { type DeliverDeps, deliverWebhook } from '../flows/webhooks/deliver-webhook.ts'
import { pause } from '../lib/pause.ts'
import { later, millis, seconds } from '../lib/time.ts'
import type { WebhookAttempts } from '../ports/webhook-attempts.ts'
import { DELIVERIES_KEPT_FOR, type TakenDelivery, type WebhookDeliveries } from '../ports/webhook-deliveries.ts'
import { WEBHOOK_TIMEOUT } from '../ports/webhook-transport.ts'
import { Ticker } from './ticker.ts'

export type WebhookWorkerDeps = Omit<DeliverDeps, 'webhookDeliveries' | 'timeout' | 'lease'> &
  Readonly<{ webhookDeliveries: WebhookDeliveries; webhookAttempts: Pick<WebhookAttempts, 'forget'> }>

/** How long a delivery is leased for one attempt. */
const LEASE = millis(WEBHOOK_TIMEOUT + seconds(30))
/** Concurrent deliveries, in total and per endpoint. */
export const CONCURRENCY = 256
export const CONCURRENCY_PER_ENDPOINT = 32
/** The poll interval when idle. */
const IDLE_MS = 500
/** How long to wait before taking more, so that several are taken at once. */
const GATHER_MS = 20
const FAULT_PAUSE_MS = 1_000
const CLEANUP_EVERY_MS = 60_000

export class WebhookWorker implements AsyncDisposable {
  readonly #deps: WebhookWorkerDeps
  readonly #onFault: (error: unknown) => void
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  readonly #cleanup: Ticker
  readonly #inFlight = new Set<Promise<void>>()
  /** Ends the idle wait: a delivery ended, a fault occurred, or the worker stops. */
  #wake = new AbortController()
  #isFaulty = false

  constructor(deps: WebhookWorkerDeps, onFault: (error: unknown) => void) {
    this.#deps = deps
    this.#onFault = onFault
    this.#cleanup = new Ticker({ task: () => this.#cleanUp(), onFault }, CLEANUP_EVERY_MS)
    this.#running = this.#run()
  }

  /** Takes no more deliveries, and waits until each has completed its current event. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#wake.abort()
    await this.#running
    await Promise.all(this.#inFlight)
    await this.#cleanup[Symbol.asyncDispose]()
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
    const free = CONCURRENCY - this.#inFlight.size
    const at = clock()
    try {
      return free === 0 ? [] : await webhookDeliveries.take(at, later(at, LEASE), free, CONCURRENCY_PER_ENDPOINT)
    } catch (error) {
      this.#reportFault(error)
      return []
    }
  }

  #begin(taken: TakenDelivery): void {
    const deps = { ...this.#deps, timeout: WEBHOOK_TIMEOUT, lease: LEASE }
    const work = deliverWebhook(deps, taken, this.#stop.signal)
      .catch((error: unknown) => this.#reportFault(error))
      .finally(() => {
        this.#inFlight.delete(work)
        this.#wake.abort()
      })
    this.#inFlight.add(work)
  }

  #reportFault(error: unknown): void {
    this.#isFaulty = true
    this.#wake.abort()
    this.#onFault(error)
  }

  async #cleanUp(): Promise<void> {
    const { webhookDeliveries, webhookAttempts, clock } = this.#deps
    const before = later(clock(), millis(-DELIVERIES_KEPT_FOR))
    while (!this.#stop.signal.aborted && (await webhookDeliveries.forget(before)));
    while (!this.#stop.signal.aborted && (await webhookAttempts.forget(before)));
  }
}
