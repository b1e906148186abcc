/**
 * Hands new messages straight to a worker that has room for them, instead of through the queue: those of one turn of the
 * event loop are one request, which the broker does not store, and the worker reads neither their events nor their keys.
 * What no worker takes goes into the queue. If the worker dies, recovery queues the message again.
 */
import type { Msg, Subscription } from '@nats-io/transport-node'
import type { EventId, MessageId } from '../../domain/ids.ts'
import type { Content } from '../../domain/message/message.ts'
import type { Soon } from '../../lib/soon.ts'
import type { Encoded, Loaded, Revision } from '../../ports/event-log.ts'
import type { Job } from '../../ports/queue.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type EventTuple, type MessageTuple, messageIdOf, toEvent } from '../shared/codec.ts'
import type { Connection } from './connection.ts'
import type { Names } from './subjects.ts'

export type HandoverOptions = Readonly<{
  connection: Connection
  names: Names
  sealer: Sealer
  /** How long a worker may take to answer. */
  timeoutMs?: number
}>

/** A new message: its first event, where that is stored, and its content in JSON. */
export type NewMessage = Encoded & Readonly<{ seq: number; content: string }>

/** A message as a worker gets it. */
export type HandedOver = Readonly<{ job: Job; loaded: Loaded }>

/** Whether each of them is taken, in their order. */
export type Take = (messages: readonly HandedOver[]) => readonly boolean[]

type Batch = { readonly id: MessageId; readonly messages: string[]; bytes: number; readonly taken: Promise<string> }
type Tuple = readonly [seq: number, id: EventId, message: MessageTuple, body: EventTuple, content: Content]

/** Larger content is read from the log when it is sent. */
const CONTENT_BYTES = 16 * 1024
const BATCH_BYTES = 256 * 1024
const MOST_MESSAGES = 64
const TIMEOUT_MS = 500
/** How long nothing is offered after nobody answered, and after nobody had room. */
const PAUSE_MS = { absent: 1_000, full: 50 }
/** The queue group: the broker chooses one of its members for each request. */
const WORKERS = 'workers'
const [TAKEN, REFUSED] = ['1', '0']
const ID_BYTES = 36

export class Handover implements AsyncDisposable {
  readonly #connection: Connection
  readonly #subject: string
  readonly #sealer: Sealer
  readonly #timeoutMs: number
  #subscription: Subscription | undefined
  #open: Batch | undefined
  #pausedUntil = 0

  constructor({ connection, names, sealer, timeoutMs = TIMEOUT_MS }: HandoverOptions) {
    this.#connection = connection
    this.#subject = names.handover
    this.#sealer = sealer
    this.#timeoutMs = timeoutMs
  }

  /** Whether a worker took the message. If its answer is lost, the message is queued although it was taken. */
  offer(message: NewMessage): Soon<boolean> {
    if (message.content.length > CONTENT_BYTES || performance.now() < this.#pausedUntil) return false
    const batch = this.#open ?? this.#begin(messageIdOf(message.facts))
    const text = encode(message)
    const at = batch.messages.push(text) - 1
    batch.bytes += text.length
    if (batch.messages.length === MOST_MESSAGES || batch.bytes > BATCH_BYTES) this.#open = undefined
    return batch.taken.then((taken) => taken[at] === TAKEN)
  }

  /** Takes messages of other processes: each batch goes to one of those that do so. */
  serve(take: Take): void {
    this.#subscription ??= this.#connection.subscribe(this.#subject, (request) => this.#answer(request, take), WORKERS)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#connection.isUp) await this.#subscription?.drain().catch(() => undefined)
  }

  #begin(id: MessageId): Batch {
    const { promise: taken, resolve } = Promise.withResolvers<string>()
    const batch: Batch = { id, messages: [], bytes: 0, taken }
    this.#open = batch
    setImmediate(() => {
      if (this.#open === batch) this.#open = undefined
      resolve(this.#send(batch))
    })
    return batch
  }

  async #send({ id, messages }: Batch): Promise<string> {
    const { sealed, secret } = this.#sealer.seal(id, Buffer.from(`[${messages.join(',')}]`))
    const payload = Buffer.concat([Buffer.from(id), Buffer.of(secret.length), secret, sealed])
    try {
      const taken = (await this.#connection.request(this.#subject, payload, undefined, this.#timeoutMs)).string()
      if (!taken.includes(TAKEN)) this.#pausedUntil = performance.now() + PAUSE_MS.full
      return taken
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      this.#pausedUntil = performance.now() + PAUSE_MS.absent
      return ''
    }
  }

  #answer(request: Msg, take: Take): void {
    const taken = take(this.#unseal(request.data))
    const answer = taken.map((isTaken) => (isTaken ? TAKEN : REFUSED)).join('')
    if (request.reply !== undefined && this.#connection.isUp) this.#connection.send(request.reply, answer)
  }

  /** Anyone on the broker may send requests: nothing, if it is not from a process with our master key. */
  #unseal(payload: Uint8Array): readonly HandedOver[] {
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
    const id = bytes.toString('latin1', 0, ID_BYTES) as MessageId
    const secretAt = ID_BYTES + 1
    const sealedAt = secretAt + (bytes[ID_BYTES] ?? 0)
    let plain: Uint8Array
    try {
      plain = this.#sealer.open(id, bytes.subarray(sealedAt), bytes.subarray(secretAt, sealedAt))
    } catch {
      return []
    }
    return (JSON.parse(Buffer.from(plain).toString()) as readonly Tuple[]).map(toHandedOver)
  }
}

/** Facts and body are JSON already, so all of a batch is parsed at once. */
const encode = ({ seq, id, facts, body, content }: NewMessage): string => `[${seq},"${id}",${facts},${body},${content}]`

function toHandedOver([seq, id, message, body, content]: Tuple): HandedOver {
  const event = toEvent(id, message, body)
  const { id: messageId, tenantId, lane } = event.state
  return { job: { messageId, tenantId, lane }, loaded: { revision: seq as Revision, event, content } }
}
