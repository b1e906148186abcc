/**
 * A constant load, independent of the answers. A client without a 202 repeats its call with the same key at the next
 * API process, as the documentation recommends.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { AcceptedMessage } from '../e2e/kill-load.ts'
import type { Answer, Gateway } from '../support/gateway.ts'
import { type Random, randomInteger, seededRandom } from '../support/random.ts'
import { type Accepted, magic, post, type Sms } from '../support/sms.ts'

export type TimedMessage = AcceptedMessage & Readonly<{ firstTriedAt: number; answeredAt: number }>

/** A request without a 202: answered 503, connection refused, connection broken, or timed out. */
export type FailedRequest = Readonly<{
  kind: 'unavailable' | 'refused' | 'broken' | 'hung'
  url: string
  askedAt: number
  tookMs: number
}>

/** The magic recipients, in percent: retries, unknown outcomes, and receipts out of order. */
const SHARES: readonly (readonly [to: string, percent: number])[] = [
  [magic('0003'), 6],
  [magic('0005'), 6],
  [magic('0008'), 6],
]
const MAGIC = SHARES.flatMap(([to, percent]) => Array.from({ length: percent }, () => to))
const REPEAT_SHARE = 0.03
const TICK_MS = 10
const RETRY_MS = 100
/** A message that is not accepted within this time is a problem. */
const ACCEPT_WITHIN_MS = 180_000

export class SteadyLoad {
  readonly accepted: TimedMessage[] = []
  /** Unexpected answers. */
  readonly unexpected: string[] = []
  readonly failures: FailedRequest[] = []
  slowestAnswerMs = 0
  readonly #apis: readonly Gateway[]
  readonly #stop = new AbortController()
  readonly #random: Random
  readonly #sending = new Set<Promise<void>>()
  /** The start time of each pending request. */
  readonly #pending = new Map<symbol, number>()
  readonly #running: Promise<void>

  /** `name` is the prefix of its keys. */
  constructor(apis: readonly Gateway[], { name, rate, seed }: Readonly<{ name: string; rate: number; seed: number }>) {
    this.#apis = apis
    this.#random = seededRandom(seed)
    this.#running = this.#run(rate, name)
  }

  /** Starts no new requests, and waits for all answers. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await Promise.all(this.#sending)
  }

  failuresOf(kind: FailedRequest['kind']): readonly FailedRequest[] {
    return this.failures.filter((failure) => failure.kind === kind)
  }

  /** The age of the oldest pending request. */
  longestWaitMs(): number {
    return performance.now() - Math.min(performance.now(), ...this.#pending.values())
  }

  async #run(rate: number, name: string): Promise<void> {
    const beganAt = performance.now()
    for (let begun = 0; !this.#stop.signal.aborted; await wait(TICK_MS)) {
      const due = ((performance.now() - beganAt) / 1000) * rate
      for (; begun < due; begun += 1) this.#begin(toSms(`${name}-${begun}`, this.#random), begun)
    }
  }

  #begin(sms: Sms, index: number): void {
    const sending = this.#send(sms, index, this.#random() < REPEAT_SHARE)
      .catch((error: unknown) => this.#reportUnexpected(`the load itself failed: ${error}`))
      .finally(() => this.#sending.delete(sending))
    this.#sending.add(sending)
  }

  async #send(sms: Sms, index: number, isRepeated: boolean): Promise<void> {
    const firstTriedAt = Date.now()
    const { answer, tries } = await this.#sendUntilAccepted(sms, index)
    if (answer === undefined) return
    const { id, text, replayed } = answer
    this.accepted.push({ sms, id, answer: text, tries, replayed, firstTriedAt, answeredAt: Date.now() })
    if (!isRepeated) return
    const again = (await this.#sendUntilAccepted(sms, index + 1)).answer
    if (again === undefined) return
    if (again.text !== text)
      this.#reportUnexpected(`${sms.idempotency_key} was answered ${text} and then ${again.text}`)
    if (!again.replayed) this.#reportUnexpected(`${sms.idempotency_key} was accepted twice`)
  }

  /** Repeats the request at one API process after another until one answers 202. */
  async #sendUntilAccepted(sms: Sms, index: number) {
    const giveUpAt = performance.now() + ACCEPT_WITHIN_MS
    for (let tries = 1; performance.now() < giveUpAt; tries += 1) {
      const gateway = this.#apis[(index + tries) % this.#apis.length]
      const answer = gateway && (await this.#ask(gateway, sms))
      if (typeof answer === 'object') return { answer, tries }
      await wait(answer ?? RETRY_MS)
    }
    this.#reportUnexpected(`${sms.idempotency_key} was not accepted in ${ACCEPT_WITHIN_MS / 1000} s`)
    return { answer: undefined, tries: 0 }
  }

  /** The answer, or the delay before the next try. */
  async #ask(gateway: Gateway, sms: Sms) {
    const askedAt = Date.now()
    const began = performance.now()
    const fail = (kind: FailedRequest['kind']): void => {
      this.failures.push({ kind, url: gateway.url, askedAt, tookMs: performance.now() - began })
      if (kind === 'hung') this.#reportUnexpected(`${sms.idempotency_key} was not answered at all`)
    }
    const request = Symbol()
    this.#pending.set(request, began)
    const answer = await post(gateway, sms)
      .catch((error: unknown) => fail(toFailedRequest(error)))
      .finally(() => this.#pending.delete(request))
    this.slowestAnswerMs = Math.max(this.slowestAnswerMs, performance.now() - began)
    if (answer === undefined) return undefined
    const { status, text, body, headers } = answer
    if (status === 202) return { id: body.request_id, text, replayed: headers.get('idempotent-replayed') === 'true' }
    if (status === 503) fail('unavailable')
    const seconds = retryAfterOf(answer)
    if (status === 503 && seconds !== undefined) return seconds * 1000
    this.#reportUnexpected(`${sms.idempotency_key} was answered ${status} ${text}`)
    return undefined
  }

  #reportUnexpected(problem: string): void {
    this.unexpected.push(problem)
  }
}

/** The Retry-After of a correct 503; undefined for any other answer. */
export function retryAfterOf({ status, headers }: Pick<Answer<Accepted>, 'status' | 'headers'>): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const isProblem = headers.get('content-type') === 'application/problem+json'
  return status === 503 && isProblem && seconds >= 1 && seconds <= 60 ? seconds : undefined
}

/** `fetch` rejects with a TypeError when the connection breaks, and with a TimeoutError on our timeout. */
function toFailedRequest(error: unknown): 'refused' | 'broken' | 'hung' {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'hung'
  if (!(error instanceof TypeError)) throw error
  const { cause } = error
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED' ? 'refused' : 'broken'
}

function toSms(key: string, random: Random): Sms {
  const to = MAGIC[randomInteger(random, 0, 99)] ?? `+1555${randomInteger(random, 1_000_000, 9_999_999)}`
  const tags = [`tag-${randomInteger(random, 0, 9)}`]
  return { to, message: `About ${key}`, idempotency_key: key, tags, metadata: { order: key } }
}
