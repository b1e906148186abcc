/**
 * A load of so many messages a second, whatever happens. Every message has a key, and whoever gets no
 * answer asks the next api with the same key until one answers 202, as the documentation tells callers to do.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Promised } from '../e2e/kill-load.ts'
import { between, type Dice, seededDice } from '../support/dice.ts'
import type { Answer, Gateway } from '../support/gateway.ts'
import { type Accepted, magic, post, type Sms } from '../support/sms.ts'

export type Kept = Promised & Readonly<{ firstTriedAt: number; answeredAt: number }>

/** A request that was not answered as one would like: turned away, nobody listens, the connection broke, or no answer came. */
export type Setback = Readonly<{
  kind: 'unavailable' | 'refused' | 'broken' | 'hung'
  url: string
  askedAt: number
  tookMs: number
}>

/** What is sent, and how often of a hundred: retries, doubts, and receipts in disorder. */
const SHARES: readonly (readonly [to: string, percent: number])[] = [
  [magic('0003'), 6],
  [magic('0005'), 6],
  [magic('0008'), 6],
]
const MAGIC = SHARES.flatMap(([to, percent]) => Array.from({ length: percent }, () => to))
const REPEAT_SHARE = 0.03
const BEAT_MS = 10
const AGAIN_MS = 100
/** A caller that was not answered in so long has a right to complain. */
const PATIENCE_MS = 180_000

export class SteadyLoad {
  readonly promised: Kept[] = []
  /** Answers that should not have been given. */
  readonly complaints: string[] = []
  readonly setbacks: Setback[] = []
  slowestAnswerMs = 0
  readonly #apis: readonly Gateway[]
  readonly #stop = new AbortController()
  readonly #dice: Dice
  readonly #under = new Set<Promise<void>>()
  /** When each request that is not answered yet was made. */
  readonly #asking = new Map<symbol, number>()
  readonly #running: Promise<void>

  /** `name` is what its keys begin with. */
  constructor(apis: readonly Gateway[], { name, rate, seed }: Readonly<{ name: string; rate: number; seed: number }>) {
    this.#apis = apis
    this.#dice = seededDice(seed)
    this.#running = this.#run(rate, name)
  }

  /** Begins nothing new, and waits until everybody has an answer. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await Promise.all(this.#under)
  }

  setbacksOf(kind: Setback['kind']): readonly Setback[] {
    return this.setbacks.filter((setback) => setback.kind === kind)
  }

  /** How long the one waits that has been waiting longest for an answer to its request. */
  longestWaitMs(): number {
    return performance.now() - Math.min(performance.now(), ...this.#asking.values())
  }

  async #run(rate: number, name: string): Promise<void> {
    const beganAt = performance.now()
    for (let begun = 0; !this.#stop.signal.aborted; await wait(BEAT_MS)) {
      const due = ((performance.now() - beganAt) / 1000) * rate
      for (; begun < due; begun += 1) this.#begin(toSms(`${name}-${begun}`, this.#dice), begun)
    }
  }

  #begin(sms: Sms, place: number): void {
    const sending = this.#send(sms, place, this.#dice() < REPEAT_SHARE)
      .catch((error: unknown) => this.#complain(`the load itself failed: ${error}`))
      .finally(() => this.#under.delete(sending))
    this.#under.add(sending)
  }

  async #send(sms: Sms, place: number, isRepeated: boolean): Promise<void> {
    const firstTriedAt = Date.now()
    const { answer, tries } = await this.#persist(sms, place)
    if (answer === undefined) return
    const { id, text, replayed } = answer
    this.promised.push({ sms, id, answer: text, tries, replayed, firstTriedAt, answeredAt: Date.now() })
    if (!isRepeated) return
    const again = (await this.#persist(sms, place + 1)).answer
    if (again === undefined) return
    if (again.text !== text) this.#complain(`${sms.idempotency_key} was answered ${text} and then ${again.text}`)
    if (!again.replayed) this.#complain(`${sms.idempotency_key} was taken twice`)
  }

  /** Asks api after api until one says yes. */
  async #persist(sms: Sms, place: number) {
    const giveUpAt = performance.now() + PATIENCE_MS
    for (let tries = 1; performance.now() < giveUpAt; tries += 1) {
      const gateway = this.#apis[(place + tries) % this.#apis.length]
      const answer = gateway && (await this.#ask(gateway, sms))
      if (typeof answer === 'object') return { answer, tries }
      await wait(answer ?? AGAIN_MS)
    }
    this.#complain(`${sms.idempotency_key} was not taken in ${PATIENCE_MS / 1000} s`)
    return { answer: undefined, tries: 0 }
  }

  /** The answer, or how long to wait before the next try. */
  async #ask(gateway: Gateway, sms: Sms) {
    const askedAt = Date.now()
    const began = performance.now()
    const fail = (kind: Setback['kind']): void => {
      this.setbacks.push({ kind, url: gateway.url, askedAt, tookMs: performance.now() - began })
      if (kind === 'hung') this.#complain(`${sms.idempotency_key} was not answered at all`)
    }
    const request = Symbol()
    this.#asking.set(request, began)
    const answer = await post(gateway, sms)
      .catch((error: unknown) => fail(toSetback(error)))
      .finally(() => this.#asking.delete(request))
    this.slowestAnswerMs = Math.max(this.slowestAnswerMs, performance.now() - began)
    if (answer === undefined) return undefined
    const { status, text, body, headers } = answer
    if (status === 202) return { id: body.request_id, text, replayed: headers.get('idempotent-replayed') === 'true' }
    if (status === 503) fail('unavailable')
    const seconds = retryAfterOf(answer)
    if (status === 503 && seconds !== undefined) return seconds * 1000
    this.#complain(`${sms.idempotency_key} was answered ${status} ${text}`)
    return undefined
  }

  #complain(complaint: string): void {
    this.complaints.push(complaint)
  }
}

/** How many seconds a caller who is turned away is told to wait; undefined when it is not told as it should be. */
export function retryAfterOf({ status, headers }: Pick<Answer<Accepted>, 'status' | 'headers'>): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const isProblem = headers.get('content-type') === 'application/problem+json'
  return status === 503 && isProblem && seconds >= 1 && seconds <= 60 ? seconds : undefined
}

/** `fetch` rejects with a TypeError when the connection breaks, and with a TimeoutError when we stop waiting. */
function toSetback(error: unknown): 'refused' | 'broken' | 'hung' {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'hung'
  if (!(error instanceof TypeError)) throw error
  const { cause } = error
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED' ? 'refused' : 'broken'
}

function toSms(key: string, dice: Dice): Sms {
  const to = MAGIC[between(dice, 0, 99)] ?? `+1555${between(dice, 1_000_000, 9_999_999)}`
  const tags = [`tag-${between(dice, 0, 9)}`]
  return { to, message: `About ${key}`, idempotency_key: key, tags, metadata: { order: key } }
}
