/**
 * Pulling from a consumer, on the bare protocol: one request at a time, for as many messages as are
 * wanted now. Nothing is fetched ahead.
 */
import { createInbox, type Msg, type Subscription } from '@nats-io/transport-node'
import { type Instant, instant } from '../../lib/time.ts'
import type { Connection } from './connection.ts'
import { nanos } from './streams.ts'

/** `empty`: there were not that many. `gone`: no such consumer. `lost`: the broker went away, or never answered. */
export type PullEnd = 'full' | 'empty' | 'gone' | 'lost'

export type PullRequest = Readonly<{
  batch: number
  /** How long the broker waits for the first message; it does not wait for more than are there when this is missing. */
  waitMs?: number
  /** Further fields of the request. */
  extra?: Readonly<Record<string, string>>
}>

/** What the broker says of a message it hands out, in the subject its acknowledgement goes to. */
export type Delivery = Readonly<{
  subject: string
  reply: string
  data: Uint8Array
  msg: Msg
  /** The place in the stream, and among what this consumer has handed out. */
  seq: number
  turn: number
  /** When the broker stored it. */
  at: Instant
  /** How many more there are for this consumer, but for those handed out before. */
  pending: number
}>

type Open = { readonly token: string; left: number; readonly end: (why: PullEnd) => void }

/** An answer that comes later than this after it was due does not come. */
const LATE_MS = 2_000
/** Nobody there, no longer there, or there for somebody else. */
const GONE: ReadonlySet<number | undefined> = new Set([503, 409, 423])

export class Puller implements AsyncDisposable {
  readonly #connection: Connection
  readonly #subject: string
  readonly #inbox = createInbox()
  readonly #subscription: Subscription
  readonly #unlisten: () => void
  readonly #receive: (delivery: Delivery) => void
  #requests = 0
  #open: Open | undefined

  constructor(connection: Connection, stream: string, consumer: string, receive: (delivery: Delivery) => void) {
    this.#connection = connection
    this.#subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`
    this.#receive = receive
    this.#subscription = connection.subscribe(`${this.#inbox}.*`, (msg) => this.#arrived(msg))
    this.#unlisten = connection.onTurn(() => this.#open?.end('lost'))
  }

  /** Messages are received as they come; the answer tells why no more do. Rejects with `Unavailable` when nobody can be asked. */
  pull({ batch, waitMs, extra }: PullRequest): Promise<PullEnd> {
    if (this.#open !== undefined) throw new Error('this consumer is being asked already')
    return new Promise((resolve) => {
      this.#requests += 1
      const token = String(this.#requests)
      const wait = waitMs === undefined ? { no_wait: true } : { expires: nanos(waitMs) }
      const request = JSON.stringify({ batch, ...wait, ...extra })
      this.#connection.tell(this.#subject, request, `${this.#inbox}.${token}`)
      const timer = setTimeout(() => end('lost'), (waitMs ?? 0) + LATE_MS)
      const end = (why: PullEnd): void => {
        clearTimeout(timer)
        this.#open = undefined
        resolve(why)
      }
      this.#open = { token, left: batch, end }
    })
  }

  /** What the broker has sent until it knows is still received. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unlisten()
    this.#open?.end('lost')
    if (this.#connection.isUp) await this.#subscription.drain().catch(() => undefined)
    else this.#subscription.unsubscribe()
  }

  /** A message comes under its own subject, and is taken whichever request it answers; word on a request under the request's. */
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

/** `$JS.ACK.[domain.account.]stream.consumer.deliveries.seq.turn.time.pending[.token]` */
function toDelivery(msg: Msg, reply: string): Delivery {
  const tokens = reply.split('.')
  const [seq = 0, turn = 0, time = 0, pending = 0] = tokens.slice(tokens.length > 9 ? 7 : 5).map(Number)
  const { subject, data } = msg
  return { subject, reply, data, msg, seq, turn, at: instant(Math.floor(time / 1e6)), pending }
}
