/**
 * Clients that keep sending while gateways are killed. A client without an answer repeats the call with the same key,
 * as the documentation recommends.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Gateway } from '../support/gateway.ts'
import { type Random, randomInteger, seededRandom } from '../support/random.ts'
import type { RestartableGateway } from '../support/restartable-gateway.ts'
import { magic, post, type Sms } from '../support/sms.ts'

/** An accepted message. `answer` is the first response body; missing for a batch. */
export type AcceptedMessage = Readonly<{ sms: Sms; id: string; answer?: string; tries: number; replayed: boolean }>

type BatchResult = Readonly<{ request_id?: string; error?: Readonly<{ error_code: string; detail: string }> }>

/** The kinds of message, in percent: every path that a kill could interrupt. */
const SHARES: readonly (readonly [to: string, percent: number])[] = [
  [magic('0001'), 4],
  [magic('0003'), 7],
  [magic('0005'), 9],
  [magic('0007'), 4],
  [magic('0008'), 8],
]
const MAGIC = SHARES.flatMap(([to, percent]) => Array.from({ length: percent }, () => to))
const BATCH_SHARE = 0.04
const REPEAT_SHARE = 0.05
/** The pause between two calls of a client, which limits the load on a busy machine. */
const PAUSE_MS = [20, 100] as const
const MAX_TRIES = 100

export class Load {
  readonly accepted: AcceptedMessage[] = []
  /** Unexpected answers. */
  readonly unexpected: string[] = []
  readonly #site: RestartableGateway
  readonly #stop = new AbortController()
  readonly #callers: Promise<void>[]

  constructor(site: RestartableGateway, callers: number, seed: number) {
    this.#site = site
    this.#callers = Array.from({ length: callers }, (_, nth) => this.#call(`${seed}-${nth}`, seededRandom(seed + nth)))
  }

  /** Starts no new calls, and waits for all answers. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#callers)
  }

  async #call(name: string, random: Random): Promise<void> {
    for (let turn = 0; !this.#stop.signal.aborted; turn += 1) {
      if (random() < BATCH_SHARE) await this.#sendBatch(`${name}-${turn}`, random)
      else await this.#sendOne(toSms(`${name}-${turn}`, random), random)
      await wait(randomInteger(random, ...PAUSE_MS))
    }
  }

  async #sendOne(sms: Sms, random: Random): Promise<void> {
    const { value, tries } = await this.#callUntilAnswered(async (gateway) => {
      const { status, text, body, headers } = await post(gateway, sms)
      if (status === 503) return undefined
      if (status !== 202) return this.#reportUnexpected(`${sms.idempotency_key} was answered ${status} ${text}`)
      return { id: body.request_id, answer: text, replayed: headers.get('idempotent-replayed') === 'true' }
    })
    if (value === undefined) return
    this.accepted.push({ sms, tries, ...value })
    if (random() < REPEAT_SHARE) await this.#repeat(sms, value.answer)
  }

  async #repeat(sms: Sms, first: string): Promise<void> {
    await this.#callUntilAnswered(async (gateway) => {
      const { status, text, headers } = await post(gateway, sms)
      if (status === 503) return undefined
      if (text !== first) this.#reportUnexpected(`${sms.idempotency_key} was answered ${first} and then ${text}`)
      if (headers.get('idempotent-replayed') !== 'true') this.#reportUnexpected(`${sms.idempotency_key} was sent again`)
      return true
    })
  }

  async #sendBatch(name: string, random: Random): Promise<void> {
    const items = Array.from({ length: randomInteger(random, 2, 8) }, (_, nth) => toSms(`${name}.${nth}`, random))
    const { value, tries } = await this.#callUntilAnswered(async (gateway) => {
      const { status, body, text } = await gateway.call<{ results: readonly BatchResult[] }>(
        'POST',
        '/v1/messages/batch',
        { items },
      )
      if (status !== 200) return this.#reportUnexpected(`a batch was answered ${status} ${text}`)
      return body.results.some(({ error }) => error?.error_code === 'UNAVAILABLE') ? undefined : body.results
    })
    for (const [index, sms] of items.entries()) {
      const { request_id: id, error } = value?.[index] ?? {}
      if (id === undefined) this.#reportUnexpected(`${sms.idempotency_key} was refused in a batch: ${error?.detail}`)
      else this.accepted.push({ sms, id, tries, replayed: false })
    }
  }

  /** Repeats the call until a gateway answers; `ask` returns undefined if it could not. */
  async #callUntilAnswered<Value>(ask: (gateway: Gateway) => Promise<Value | undefined>) {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const gateway = await this.#site.current()
      const value = await ask(gateway).catch(onlyBrokenConnections)
      if (value !== undefined) return { value, tries }
      // The gateway may just have been killed.
      await wait(20)
    }
    this.#reportUnexpected(`no gateway answered in ${MAX_TRIES} tries`)
    return { value: undefined, tries: MAX_TRIES }
  }

  #reportUnexpected(problem: string): undefined {
    this.unexpected.push(problem)
  }
}

/** `fetch` rejects with a TypeError when the connection breaks; any other error is a bug. */
function onlyBrokenConnections(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error
}

function toSms(key: string, random: Random): Sms {
  const to = MAGIC[randomInteger(random, 0, 99)] ?? `+1555${randomInteger(random, 1_000_000, 9_999_999)}`
  const tags = [`tag-${randomInteger(random, 0, 9)}`]
  return { to, message: `About ${key}`, idempotency_key: key, tags, metadata: { order: key } }
}
