/** The requests that await a reply. The number of a request is the last token of the subject it is answered on. */
import type { Msg } from '@nats-io/transport-node'
import { Unavailable } from '../../ports/unavailable.ts'

export type PendingRequest = Readonly<{
  /** Takes a reply, and returns whether it was the last one. An error that it throws rejects the request. */
  take: (reply: Msg) => boolean
  reject: (error: unknown) => void
}>

/** How much later than its deadline a request may time out. */
const SWEEP_MS = 250
const NO_RESPONDERS = 503

/** The broker is reachable, but the subject has no responder: the stream has no leader, or does not exist. */
export class NoResponders extends Unavailable {}

export class PendingRequests implements Disposable {
  readonly #timeoutMs: number
  /** In the order of their numbers, and so of their deadlines. */
  readonly #pending = new Map<number, PendingRequest & { readonly deadline: number }>()
  readonly #expiry: NodeJS.Timeout

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
    this.#expiry = setInterval(() => this.#expire(), SWEEP_MS).unref()
  }

  /** Numbers must ascend. */
  add(number: number, { take, reject }: PendingRequest): void {
    this.#pending.set(number, { take, reject, deadline: performance.now() + this.#timeoutMs })
  }

  receive(number: number, reply: Msg): void {
    const request = this.#pending.get(number)
    if (request === undefined) return
    try {
      if (isUnserved(reply)) throw new NoResponders('NATS has no responder for this subject right now')
      if (request.take(reply)) this.#pending.delete(number)
    } catch (error) {
      this.#pending.delete(number)
      request.reject(error)
    }
  }

  rejectAll(error: Error): void {
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pending) reject(error)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#expiry)
  }

  #expire(): void {
    const now = performance.now()
    for (const [number, { deadline, reject }] of this.#pending) {
      if (deadline > now) return
      this.#pending.delete(number)
      reject(new Unavailable(`NATS did not answer within ${this.#timeoutMs} ms`))
    }
  }
}

const isUnserved = ({ data, headers }: Msg): boolean => data.length === 0 && headers?.code === NO_RESPONDERS
