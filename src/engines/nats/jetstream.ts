/**
 * The JetStream operations we use. A publish refused by its expected sequence is an answer; a broker that cannot
 * answer is `Unavailable`.
 */
import type { Msg } from '@nats-io/transport-node'
import { type Instant, instant } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Connection, Headers, Payload } from './connection.ts'
import { readSequence } from './publish-ack.ts'

/** A message of a stream, and when the broker stored it. */
export type Stored = Readonly<{ subject: string; seq: number; at: Instant; data: Uint8Array }>

/** The same without its data. */
export type Listed = Omit<Stored, 'data'>

export type Query = Readonly<{ last_by_subj: string } | { seq: number; next_by_subj?: string }>

/** Refused by JetStream for a reason that a retry does not change. */
export class JetStreamError extends Error {
  readonly code: number

  constructor(code: number, sentence: string) {
    super(sentence)
    this.code = code
  }
}

type Failure = Readonly<{ code: number; err_code?: number; description?: string }>
type Answer = Readonly<{ error?: Failure }>

/** Another writer was first: its message is stored, or is being replicated. */
const CONFLICT: ReadonlySet<number | undefined> = new Set([10071, 10164])
const NO_MESSAGE = 10037
const NOT_FOUND = 404
/** Codes from here on are faults of the broker, which a retry may cure. */
const SERVER_FAULT = 500

/** Expects the newest message of a subject, or of all that match it, to have this sequence; zero means none. */
export const ifLast = (seq: number, subject?: string): Headers => ({
  'Nats-Expected-Last-Subject-Sequence': seq,
  ...(subject !== undefined && { 'Nats-Expected-Last-Subject-Sequence-Subject': subject }),
})

export class JetStream {
  readonly connection: Connection
  readonly #replicated: boolean

  constructor(connection: Connection, replicas: number) {
    this.connection = connection
    this.#replicated = replicas > 1
  }

  /** The stored sequence, or undefined when the expectation in the headers does not hold. */
  publish(subject: string, payload: Payload, headers?: Headers): Promise<number | undefined> {
    return this.connection.ask(subject, payload, headers, toSequence)
  }

  /** Never older than what this process has seen: with replicas only the leader is guaranteed to have it. */
  async get(stream: string, query: Query): Promise<Stored | undefined> {
    return this.#replicated ? this.#getFromLeader(stream, query) : this.#getDirectly(stream, query)
  }

  /** Overwrites it on disk. The broker reports an erased message with several errors, some of them its own faults. */
  async erase(stream: string, seq: number): Promise<void> {
    await this.api(`STREAM.MSG.DELETE.${stream}`, { seq, no_erase: false }).catch(async (error: unknown) => {
      if ((await this.get(stream, { seq })) !== undefined) throw error
    })
  }

  /** How many messages match a subject. */
  async count(stream: string, subject: string): Promise<number> {
    const query = { seq: 1, next_by_subj: subject, batch: 1 }
    const { headers } = await this.#ask(`DIRECT.GET.${stream}`, query)
    return headers?.code === NOT_FOUND ? 0 : Number(headers?.get('Nats-Num-Pending')) + 1
  }

  /**
   * Whether a subject holds any message, according to the index of subjects. `get` also returns nothing where the store
   * cannot load a damaged block, so ask this before destroying anything for good.
   */
  async holds(stream: string, subject: string): Promise<boolean> {
    type Body = { state: { subjects?: Readonly<Record<string, number>> } }
    const { state } = await this.api<Body>(`STREAM.INFO.${stream}`, { subjects_filter: subject })
    return (state.subjects?.[subject] ?? 0) > 0
  }

  /** The first `limit` messages that match a subject, by sequence. Replicas may lag slightly. */
  async list(stream: string, subject: string, limit: number): Promise<readonly Listed[]> {
    const query = { seq: 1, next_by_subj: subject, batch: limit }
    const answers = await this.connection.requestMany(
      `$JS.API.DIRECT.GET.${stream}`,
      JSON.stringify(query),
      isEndOfBatch,
    )
    return answers.flatMap(({ headers }) => {
      const seq = Number(headers?.get('Nats-Sequence'))
      return headers === undefined || !(seq > 0)
        ? []
        : { subject: headers.get('Nats-Subject'), seq, at: toInstant(headers.get('Nats-Time-Stamp')) }
    })
  }

  async api<Body extends object>(path: string, body: object = {}): Promise<Body> {
    const answer = (await this.#ask(path, body)).json<Answer & Body>()
    if (answer.error !== undefined) throw toError(answer.error)
    return answer
  }

  #ask(path: string, body: object): Promise<Msg> {
    return this.connection.request(`$JS.API.${path}`, JSON.stringify(body))
  }

  async #getDirectly(stream: string, query: Query): Promise<Stored | undefined> {
    const { headers, data } = await this.#ask(`DIRECT.GET.${stream}`, query)
    if (headers?.code === NOT_FOUND) return undefined
    const seq = Number(headers?.get('Nats-Sequence'))
    if (headers === undefined || !(seq > 0)) throw new Error(`${stream} cannot be read: ${headers?.description}`)
    return { subject: headers.get('Nats-Subject'), seq, at: toInstant(headers.get('Nats-Time-Stamp')), data }
  }

  async #getFromLeader(stream: string, query: Query): Promise<Stored | undefined> {
    type Body = Answer & { message: { subject: string; seq: number; time: string; data?: string } }
    const { error, message } = (await this.#ask(`STREAM.MSG.GET.${stream}`, query)).json<Body>()
    if (error?.err_code === NO_MESSAGE) return undefined
    if (error !== undefined) throw toError(error)
    const { subject, seq, time, data = '' } = message
    return { subject, seq, at: toInstant(time), data: Buffer.from(data, 'base64') }
  }
}

function toSequence(ack: Msg): number | undefined {
  const stored = readSequence(ack.data)
  if (stored !== undefined) return stored
  const { error, seq } = ack.json<Answer & { seq: number }>()
  if (error === undefined) return seq
  if (CONFLICT.has(error.err_code)) return undefined
  throw toError(error)
}

/** Only messages come without a status code. */
const isEndOfBatch = ({ headers }: Msg): boolean => (headers?.code ?? 0) > 0

const toInstant = (time: string): Instant => instant(Date.parse(time))

function toError({ code, err_code = 0, description = 'no reason given' }: Failure): Error {
  const sentence = `JetStream: ${description} (${err_code})`
  return code >= SERVER_FAULT ? new Unavailable(sentence) : new JetStreamError(err_code, sentence)
}
