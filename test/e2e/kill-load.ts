/**
 * Callers that keep sending while gateways die under them. A caller whose answer got lost repeats
 * the same key until it has one, as the documentation tells callers to do.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { between, type Dice, seededDice } from '../support/dice.ts'
import type { Gateway } from '../support/gateway.ts'
import { magic, post, type Sms } from '../support/sms.ts'
import type { Succession } from '../support/succession.ts'

/** A message somebody promised to send. `answer` is the first one received, to the byte; a batch has none. */
export type Promised = Readonly<{ sms: Sms; id: string; answer?: string; tries: number; replayed: boolean }>

type BatchResult = Readonly<{ request_id?: string; error?: Readonly<{ error_code: string; detail: string }> }>

/** What is sent, and how often of a hundred: every path a kill could cut through. */
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
/** A caller thinks this long between two calls, so that the load stays one a busy machine can carry. */
const THINKING_MS = [20, 100] as const
const MAX_TRIES = 100

export class Load {
  readonly promised: Promised[] = []
  /** Answers that should not have been given. */
  readonly complaints: string[] = []
  readonly #site: Succession
  readonly #stop = new AbortController()
  readonly #callers: Promise<void>[]

  constructor(site: Succession, callers: number, seed: number) {
    this.#site = site
    this.#callers = Array.from({ length: callers }, (_, nth) => this.#call(`${seed}-${nth}`, seededDice(seed + nth)))
  }

  /** Begins nothing new, and waits until everybody has an answer. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#callers)
  }

  async #call(name: string, dice: Dice): Promise<void> {
    for (let turn = 0; !this.#stop.signal.aborted; turn += 1) {
      if (dice() < BATCH_SHARE) await this.#sendBatch(`${name}-${turn}`, dice)
      else await this.#sendOne(toSms(`${name}-${turn}`, dice), dice)
      await wait(between(dice, ...THINKING_MS))
    }
  }

  async #sendOne(sms: Sms, dice: Dice): Promise<void> {
    const { value, tries } = await this.#persist(async (gateway) => {
      const { status, text, body, headers } = await post(gateway, sms)
      if (status === 503) return undefined
      if (status !== 202) return this.#complain(`${sms.idempotency_key} was answered ${status} ${text}`)
      return { id: body.request_id, answer: text, replayed: headers.get('idempotent-replayed') === 'true' }
    })
    if (value === undefined) return
    this.promised.push({ sms, tries, ...value })
    if (dice() < REPEAT_SHARE) await this.#repeat(sms, value.answer)
  }

  async #repeat(sms: Sms, first: string): Promise<void> {
    await this.#persist(async (gateway) => {
      const { status, text, headers } = await post(gateway, sms)
      if (status === 503) return undefined
      if (text !== first) this.#complain(`${sms.idempotency_key} was answered ${first} and then ${text}`)
      if (headers.get('idempotent-replayed') !== 'true') this.#complain(`${sms.idempotency_key} was sent again`)
      return true
    })
  }

  async #sendBatch(name: string, dice: Dice): Promise<void> {
    const items = Array.from({ length: between(dice, 2, 8) }, (_, nth) => toSms(`${name}.${nth}`, dice))
    const { value, tries } = await this.#persist(async (gateway) => {
      const { status, body, text } = await gateway.call<{ results: readonly BatchResult[] }>(
        'POST',
        '/v1/messages/batch',
        { items },
      )
      if (status !== 200) return this.#complain(`a batch was answered ${status} ${text}`)
      return body.results.some(({ error }) => error?.error_code === 'UNAVAILABLE') ? undefined : body.results
    })
    for (const [place, sms] of items.entries()) {
      const { request_id: id, error } = value?.[place] ?? {}
      if (id === undefined) this.#complain(`${sms.idempotency_key} was refused in a batch: ${error?.detail}`)
      else this.promised.push({ sms, id, tries, replayed: false })
    }
  }

  /** Asks gateway after gateway until one answers; undefined from `ask` means it cannot right now. */
  async #persist<Value>(ask: (gateway: Gateway) => Promise<Value | undefined>) {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const gateway = await this.#site.up()
      const value = await ask(gateway).catch(onlyBrokenConnections)
      if (value !== undefined) return { value, tries }
      // It may be dying and not know it yet.
      await wait(20)
    }
    this.#complain(`nobody answered in ${MAX_TRIES} tries`)
    return { value: undefined, tries: MAX_TRIES }
  }

  #complain(complaint: string): undefined {
    this.complaints.push(complaint)
  }
}

/** `fetch` rejects with a TypeError when the connection breaks; anything else is a bug of ours. */
function onlyBrokenConnections(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error
}

function toSms(key: string, dice: Dice): Sms {
  const to = MAGIC[between(dice, 0, 99)] ?? `+1555${between(dice, 1_000_000, 9_999_999)}`
  const tags = [`tag-${between(dice, 0, 9)}`]
  return { to, message: `About ${key}`, idempotency_key: key, tags, metadata: { order: key } }
}
