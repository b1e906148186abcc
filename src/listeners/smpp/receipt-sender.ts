/**
 * Sends the receipts that are owed to the receivers bound here. It asks the store for as many as they can take, and records
 * each that was answered; what is not answered is due again, here or at another process.
 */
import type { Logger } from 'pino'
import { owedReceipt, toReceiptState } from '../../domain/message/owed-receipts.ts'
import { wantsReceipt } from '../../domain/message/receipt-request.ts'
import type { Clock } from '../../lib/clock.ts'
import { pause } from '../../lib/pause.ts'
import { instant, later, seconds } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { PartialMessage, PartialMessages, PartSealer } from '../../ports/partial-messages.ts'
import {
  type DeliveredReceipt,
  RECEIPTS_KEPT_FOR,
  type ReceiptDeliveries,
  type ReceiptDemand,
  type TakenReceipt,
} from '../../ports/receipt-deliveries.ts'
import type { Ids } from '../../ports/world.ts'
import type { Answer } from './outgoing.ts'
import { openPart } from './parts.ts'
import { isTaken, type Receipt, toDeliver } from './receipts.ts'
import type { Session } from './session.ts'
import { messageIdOf, partIdOf } from './submit.ts'

export type ReceiptSenderDeps = Readonly<{
  log: Pick<EventLog, 'load' | 'latest'>
  receiptDeliveries: Pick<ReceiptDeliveries, 'take' | 'complete' | 'release' | 'forget'>
  partialMessages: Pick<PartialMessages, 'takeIncomplete' | 'remove' | 'forget'>
  partSealer: PartSealer
  ids: Pick<Ids, 'keyedMessageId'>
  clock: Clock
  logger: Pick<Logger, 'warn'>
  onFault: (error: unknown) => void
  onSmppReceipt: (result: Result) => void
}>

/** What the client made of a receipt. */
type Result = 'taken' | 'refused' | 'unanswered'

const toResult = (answer: Answer): Result => {
  if (answer === undefined) return 'unanswered'
  return isTaken(answer) ? 'taken' : 'refused'
}

/** Sessions of one account take turns. */
export type Receivers = Readonly<{
  demands: () => readonly ReceiptDemand[]
  next: (account: Pick<TakenReceipt, 'tenantId' | 'accountId'>) => Session | undefined
}>

const LEASE = seconds(90)
/** After a receiver has refused a receipt for now, and after it has not answered or is gone. */
const AGAIN = seconds(30)
const SOON = seconds(1)
/** How long we wait while there is nothing to send, and while there is. Answers that came meanwhile are recorded together. */
const LOOK_EVERY_MS = 250
const LOOK_AGAIN_MS = 10
const LOOK_FOR_INCOMPLETE_EVERY_MS = 5_000
const FORGET_EVERY_MS = 60_000
const MOST_INCOMPLETE = 50

export class ReceiptSender implements AsyncDisposable {
  readonly #deps: ReceiptSenderDeps
  readonly #receivers: Receivers
  readonly #stop = new AbortController()
  readonly #loop: Promise<void>
  readonly #sending = new Set<Promise<void>>()
  #delivered: DeliveredReceipt[] = []
  #incompleteAt = 0
  #forgottenAt = 0

  constructor(deps: ReceiptSenderDeps, receivers: Receivers) {
    this.#deps = deps
    this.#receivers = receivers
    this.#loop = this.#run()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#loop
    await Promise.all(this.#sending)
    await this.#guarded(() => this.#record())
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const isBusy = await this.#guarded(() => this.#look())
      await pause(isBusy === true ? LOOK_AGAIN_MS : LOOK_EVERY_MS, this.#stop.signal)
    }
  }

  /** Outages of a store are logged by its engine; receipts wait. */
  async #guarded<Value>(act: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await act()
    } catch (error) {
      this.#deps.onFault(error)
      return undefined
    }
  }

  /** Whether there may be more to do at once. */
  async #look(): Promise<boolean> {
    await this.#record()
    const now = this.#deps.clock()
    if (now - this.#forgottenAt >= FORGET_EVERY_MS) {
      this.#forgottenAt = now
      await this.#forget()
    }
    const demands = this.#receivers.demands()
    if (demands.length === 0) return this.#sending.size > 0
    if (now - this.#incompleteAt >= LOOK_FOR_INCOMPLETE_EVERY_MS) {
      this.#incompleteAt = now
      await this.#sendIncomplete(demands)
    }
    const taken = await this.#deps.receiptDeliveries.take(demands, now, later(now, LEASE))
    for (const one of taken) this.#track(this.#send(one))
    return this.#sending.size > 0
  }

  #track(sending: Promise<void>): void {
    const tracked = this.#guarded(() => sending).then(() => {
      this.#sending.delete(tracked)
    })
    this.#sending.add(tracked)
  }

  async #send(taken: TakenReceipt): Promise<void> {
    const { messageId, position, isFirst } = taken
    const loaded = await this.#deps.log.load(messageId)
    const request = loaded?.content?.receipt
    // The content was erased, or the message is no longer kept: nobody knows any more what to write.
    if (loaded === undefined || request === undefined) return this.#done({ messageId, position, isLast: true })
    const { state } = loaded.event
    const owed = owedReceipt(state)
    const isLast = owed === 'final'
    if (owed === undefined || (!isLast && !isFirst)) return this.#done({ messageId, position, isLast: false })
    const receiptState = toReceiptState(state)
    const { source, destination, registered, id = messageId } = request
    const times = { submittedAt: state.createdAt, doneAt: state.endedAt ?? state.updatedAt }
    const receipts = registered.flatMap((flags, index): readonly Receipt[] => {
      if (!wantsReceipt(flags, owed, receiptState)) return []
      return [{ owed, id: partIdOf(id, index + 1), source, destination, state: receiptState, ...times }]
    })
    const result = await this.#deliver(taken, receipts)
    if (result === 'taken') return this.#done({ messageId, position, isLast })
    const again = later(this.#deps.clock(), result === 'refused' ? AGAIN : SOON)
    await this.#deps.receiptDeliveries.release([messageId], again)
  }

  #done(delivered: DeliveredReceipt): void {
    this.#delivered.push(delivered)
  }

  async #deliver(account: Pick<TakenReceipt, 'tenantId' | 'accountId'>, receipts: readonly Receipt[]): Promise<Result> {
    const answers = await Promise.all(
      receipts.map((receipt) => this.#receivers.next(account)?.deliver(toDeliver(receipt))),
    )
    const results = answers.map(toResult)
    results.forEach(this.#deps.onSmppReceipt)
    return results.find((result) => result !== 'taken') ?? 'taken'
  }

  async #record(): Promise<void> {
    const delivered = this.#delivered
    this.#delivered = []
    if (delivered.length > 0) await this.#deps.receiptDeliveries.complete(delivered, this.#deps.clock())
  }

  /** Messages whose parts did not all arrive are told of like expired ones. */
  async #sendIncomplete(demands: readonly ReceiptDemand[]): Promise<void> {
    const now = this.#deps.clock()
    const taken = await this.#deps.partialMessages.takeIncomplete(demands, now, later(now, LEASE), MOST_INCOMPLETE)
    for (const message of taken) this.#track(this.#expire(message))
  }

  async #expire(message: PartialMessage): Promise<void> {
    const { log, partialMessages, partSealer, logger, clock } = this.#deps
    const messageId = messageIdOf(this.#deps, message)
    // A crash came after it was accepted, and before its parts were forgotten.
    if ((await log.latest(messageId)) !== undefined) return partialMessages.remove([message.id])
    const receipts = message.parts.flatMap(({ number, sealed }): readonly Receipt[] => {
      const { source, destination, registered } = openPart(partSealer.open({ joint: message.joint, number, sealed }))
      if (!wantsReceipt(registered, 'final', 'EXPIRED')) return []
      const id = partIdOf(messageId, number)
      const times = { submittedAt: message.until, doneAt: clock() }
      return [{ owed: 'final', id, source, destination, state: 'EXPIRED', ...times }]
    })
    if ((await this.#deliver(message, receipts)) !== 'taken') return
    const { tenantId, total, parts } = message
    const fields = { message_id: messageId, tenant_id: tenantId, parts: parts.length, total }
    logger.warn(fields, 'smpp: parts of a message did not arrive in time, dropped the others')
    await partialMessages.remove([message.id])
  }

  async #forget(): Promise<void> {
    const now = this.#deps.clock()
    await this.#deps.partialMessages.forget(now)
    await this.#deps.receiptDeliveries.forget(instant(now - RECEIPTS_KEPT_FOR))
  }
}
