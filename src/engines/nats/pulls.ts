/** Pulls from a consumer on the bare protocol: one request at a time, for as many messages as are wanted. No prefetch. */
import { createInbox, type Msg, type Subscription } from '@nats-io/transport-node'
import { type Instant, instant } from '../../lib/time.ts'
import type { Connection } from './connection.ts'
import { nanos } from './streams.ts'

/** `empty`: fewer were available. `gone`: no such consumer. `lost`: the connection broke, or no answer came. */
export type PullEnd = 'full' | 'empty' | 'gone' | 'lost'

export type PullRequest = Readonly<{
  batch: number
  /** How long the broker waits for the first message; without it the broker returns what is available. */
  waitMs?: number
  /** Further fields of the request. */
  extra?: Readonly<Record<string, string>>
}>

/** A delivered message, with what its acknowledgement subject tells about it. */
export type Delivery = Readonly<{
  subject: string
  reply: string
  data: Uint8Array
  msg: Msg
  /** How often it was delivered, with this time. */
  deliveries: number
  /** The sequence in the stream. */
  seq: number
  /** The sequence among this consumer's deliveries. */
  consumerSeq: number
  /** When the broker stored it. */
  at: Instant
  /** How many more messages the consumer has to deliver for the first time. */
  pending: number
}>

type Open = { readonly token: string; left: number; readonly end: (why: PullEnd) => void }

/** How long after its deadline an answer may still arrive. */
const LATE_MS = 2_000
/** No responder, consumer deleted, or pinned to another client. */
const GONE: ReadonlySet<number | undefined> = new Set([503, 409, 423])

export class Puller implements AsyncDisposable {
  readonly #connection: Connection
  readonly #subject: string
  readonly #inbox = createInbox()
  readonly #subscription: Subscription
  readonly #removeListener: () => void
  readonly #receive: (delivery: Delivery) => void
  #requests = 0
  #open: Open | undefined

  constructor(connection: Connection, stream: string, consumer: string, receive: (delivery: Delivery) => void) {
    this.#connection = connection
    this.#subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`
    this.#receive = receive
    this.#subscription = connection.subscribe(`${this.#inbox}.*`, (msg) => this.#arrived(msg))
    this.#removeListener = connection.onStateChange(() => this.#open?.end('lost'))
  }

  /** Passes messages on as they arrive, and resolves with why no more will. Throws `Unavailable` while unreachable. */
  pull({ batch, waitMs, extra }: PullRequest): Promise<PullEnd> {
    if (this.#open !== undefined) throw new Error('a pull request of this consumer is open already')
    return new Promise((resolve) => {
      this.#requests += 1
      const token = String(this.#requests)
      const wait = waitMs === undefined ? { no_wait: true } : { expires: nanos(waitMs) }
      const request = JSON.stringify({ batch, ...wait, ...extra })
      this.#connection.send(this.#subject, request, `${this.#inbox}.${token}`)
      const timer = setTimeout(() => end('lost'), (waitMs ?? 0) + LATE_MS)
      const end = (why: PullEnd): void => {
        clearTimeout(timer)
        this.#open = undefined
        resolve(why)
      }
      this.#open = { token, left: batch, end }
    })
  }

  /** Still receives what the broker sent before it processed the unsubscription. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#removeListener()
    this.#open?.end('lost')
    if (this.#connection.isUp) await this.#subscription.drain().catch(() => undefined)
    else this.#subscription.unsubscribe()
  }

  /** Messages have a reply subject and count for any request; a status arrives on the subject of its own request. */
  #arrived(msg: Msg): void {
    if (msg.reply !== undefined && msg.reply !== '') {
      this.#receive(toDelivery(msg, msg.reply))
      if (this.#open === undefined) return
      this.#open.left -= 1
      if (this.#open.left === 0) this.#open.end('full')
    } else if (msg.subject === `${this.#inbox}.${this.#open?.token}`) {
      this.#open?.end(GONE.has(msg.headers?.code) ? 'gone' : 'empty')
    }
  }
}

/** `$JS.ACK.[domain.account.]stream.consumer.deliveries.seq.consumerSeq.time.pending[.token]` */
function toDelivery(msg: Msg, reply: string): Delivery {
  const tokens = reply.split('.')
  const numbers = tokens.slice(tokens.length > 9 ? 6 : 4).map(Number)
  const [deliveries = 0, seq = 0, consumerSeq = 0, time = 0, pending = 0] = numbers
  const { subject, data } = msg
  return { subject, reply, data, msg, deliveries, seq, consumerSeq, at: instant(Math.floor(time / 1e6)), pending }
}
