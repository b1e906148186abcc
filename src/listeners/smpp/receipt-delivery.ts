/**
 * Delivers the receipts of one message to receivers of its account, one after the other. A receipt waits for room while its
 * message is leased. Those that were taken are remembered until the message is done, and not sent again by this process.
 */
import type { Clock } from '../../lib/clock.ts'
import { KeyedMutex } from '../../lib/keyed-mutex.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import { Multiset } from '../../lib/multiset.ts'
import { signal } from '../../lib/signal.ts'
import { type Instant, millis } from '../../lib/time.ts'
import type { ReceiptAccount, ReceiptDemand } from '../../ports/receipt-deliveries.ts'
import type { Answer } from './outgoing.ts'
import { isTaken, type Receipt, toDeliver } from './receipts.ts'
import type { Session } from './session.ts'

/** What the client made of a receipt. */
export type ReceiptResult = 'taken' | 'refused' | 'unanswered'

/** What became of the receipts of a message: `refused` if one was, else `unfinished` if one was not sent or not answered. */
export type MessageResult = 'taken' | 'refused' | 'unfinished'

/** Sessions of one account take turns. */
export type Receivers = Readonly<{
  demands: () => readonly ReceiptDemand[]
  next: (account: ReceiptAccount) => Session | undefined
}>

/** `id` names a message for as long as it is not done. Nothing is sent from `sendBefore` on. */
export type LeasedMessage = Readonly<{ id: string; account: ReceiptAccount; sendBefore: Instant }>

export type ReceiptDeliveryDeps = Readonly<{
  receivers: Receivers
  clock: Clock
  onSmppReceipt: (result: ReceiptResult) => void
  /** Nobody waits for room any more. */
  stop: AbortSignal
}>

/** Receivers may also get room in ways that we are not told of, such as a bind. */
const LOOK_FOR_ROOM_EVERY = millis(50)
/** Messages whose taken receipts are remembered. */
const MOST_REMEMBERED = 20_000

const toKey = ({ tenantId, accountId }: ReceiptAccount): string => `${tenantId} ${accountId}`

const toResult = (answer: Answer): ReceiptResult => {
  if (answer === undefined) return 'unanswered'
  return isTaken(answer) ? 'taken' : 'refused'
}

export class ReceiptDelivery {
  readonly #deps: ReceiptDeliveryDeps
  /** Per message, the receipts that were taken. */
  readonly #taken = new LruCache<string, Set<string>>(MOST_REMEMBERED)
  /** The messages of each account that are being delivered and wait for no answer: each is about to need room. */
  readonly #reserved = new Multiset<string>()
  /** Of each account, only the first of those that wait looks for room. */
  readonly #turns = new KeyedMutex<string>()
  readonly #answered = signal()

  constructor(deps: ReceiptDeliveryDeps) {
    this.#deps = deps
  }

  /** How many more messages the receivers of each account have room for. */
  demands(): readonly ReceiptDemand[] {
    return this.#deps.receivers
      .demands()
      .map((demand) => ({ ...demand, max: demand.max - this.#reserved.count(toKey(demand)) }))
      .filter(({ max }) => max > 0)
  }

  /** Keeps room for a message until `act`, which delivers it, has ended. */
  async reserving(account: ReceiptAccount, act: () => Promise<void>): Promise<void> {
    const key = toKey(account)
    this.#reserved.add(key)
    try {
      await act()
    } finally {
      this.#reserved.remove(key)
    }
  }

  /** To be called while room is reserved. A receipt that is refused does not keep back those after it. */
  async deliver(message: LeasedMessage, receipts: readonly Receipt[]): Promise<MessageResult> {
    const taken = this.#taken.get(message.id) ?? new Set()
    let isRefused = false
    for (const receipt of receipts) {
      const name = `${receipt.owed} ${receipt.id}`
      if (taken.has(name)) continue
      const result = await this.#deliverOne(message, receipt)
      if (result === undefined || result === 'unanswered') return isRefused ? 'refused' : 'unfinished'
      if (result === 'refused') isRefused = true
      else this.#taken.set(message.id, taken.add(name))
    }
    return isRefused ? 'refused' : 'taken'
  }

  /** The message is done: its receipts are remembered no longer. */
  forget(id: string): void {
    this.#taken.delete(id)
  }

  /** Undefined if it was not sent. */
  async #deliverOne(message: LeasedMessage, receipt: Receipt): Promise<ReceiptResult | undefined> {
    const key = toKey(message.account)
    const begun = await this.#turns.run(key, () => this.#begin(message, receipt))
    if (begun === undefined) return undefined
    try {
      const result = toResult(await begun.answer)
      this.#deps.onSmppReceipt(result)
      return result
    } finally {
      this.#reserved.add(key)
      this.#answered.notify()
    }
  }

  /** Sends a receipt as soon as a receiver has room; undefined if none has in time. */
  async #begin({ account, sendBefore }: LeasedMessage, receipt: Receipt) {
    const { receivers, clock, stop } = this.#deps
    while (!stop.aborted && clock() < sendBefore) {
      const session = receivers.next(account)
      if (session !== undefined) {
        const answer = session.deliver(toDeliver(receipt))
        this.#reserved.remove(toKey(account))
        return { answer }
      }
      await this.#answered.wait(stop, LOOK_FOR_ROOM_EVERY)
    }
    return undefined
  }
}
