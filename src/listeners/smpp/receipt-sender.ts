/**
 * Sends the receipts that are owed to the receivers bound here. It asks the store for as many as they can take, and records
 * each that was answered; what is not answered is due again, here or at another process.
 */
import type { Logger } from 'pino'
import { owedReceipt, toReceiptState } from '../../domain/message/owed-receipts.ts'
import { wantsReceipt } from '../../domain/message/receipt-request.ts'
import type { Clock } from '../../lib/clock.ts'
import { pause } from '../../lib/pause.ts'
import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { PartialMessage, PartialMessages, PartSealer } from '../../ports/partial-messages.ts'
import {
  type DeliveredReceipt,
  RECEIPTS_KEPT_FOR,
  type ReceiptAccount,
  type ReceiptDeliveries,
  type TakenReceipt,
} from '../../ports/receipt-deliveries.ts'
import type { Ids } from '../../ports/world.ts'
import { openPart } from './parts.ts'
import { ReceiptDelivery, type ReceiptResult, type Receivers } from './receipt-delivery.ts'
import type { Receipt } from './receipts.ts'
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
  onSmppReceipt: (result: ReceiptResult) => void
}>

/** How long after its lease began a receipt may be sent; and, beside the time for its answer, how long recording it may take. */
const SEND_WITHIN = seconds(30)
const RECORD_WITHIN = seconds(30)
/** After a receiver has refused a receipt for now, and after it has not answered or is gone. */
const AGAIN = seconds(30)
const SOON = seconds(1)
/** How long we wait while there is nothing to send, and while there is. Answers that came meanwhile are recorded together. */
const LOOK_EVERY_MS = 250
const LOOK_AGAIN_MS = 10
const LOOK_FOR_INCOMPLETE_EVERY_MS = 5_000
const FORGET_EVERY_MS = 60_000
const MOST_INCOMPLETE = 50
/** Results that are kept for a store that fails. Without them a receipt would be sent again after its lease. */
const MOST_UNRECORDED = 20_000

export class ReceiptSender implements AsyncDisposable {
  readonly #deps: ReceiptSenderDeps
  readonly #delivery: ReceiptDelivery
  readonly #lease: Millis
  readonly #stop = new AbortController()
  readonly #loop: Promise<void>
  readonly #sending = new Set<Promise<void>>()
  #delivered: DeliveredReceipt[] = []
  #incompleteAt = 0
  #forgottenAt = 0
  #forgetting: Promise<void> | undefined

  /** A receiver has `answerWithin` to answer a receipt. */
  constructor(deps: ReceiptSenderDeps, receivers: Receivers, answerWithin: Millis) {
    const { clock, onSmppReceipt } = deps
    this.#deps = deps
    this.#delivery = new ReceiptDelivery({ receivers, clock, onSmppReceipt, stop: this.#stop.signal })
    this.#lease = millis(SEND_WITHIN + answerWithin + RECORD_WITHIN)
    this.#loop = this.#run()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#loop
    await Promise.all(this.#sending)
    await this.#forgetting
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
    this.#forget(now)
    if (now - this.#incompleteAt >= LOOK_FOR_INCOMPLETE_EVERY_MS) await this.#sendIncomplete(now)
    const demands = this.#delivery.demands()
    if (demands.length > 0) {
      const taken = await this.#deps.receiptDeliveries.take(demands, now, later(now, this.#lease))
      for (const one of taken) this.#track(one, () => this.#send(one, later(now, SEND_WITHIN)))
    }
    return this.#sending.size > 0
  }

  #track(account: ReceiptAccount, send: () => Promise<void>): void {
    const tracked = this.#guarded(() => this.#delivery.reserving(account, send)).then(() => {
      this.#sending.delete(tracked)
    })
    this.#sending.add(tracked)
  }

  async #send(taken: TakenReceipt, sendBefore: Instant): Promise<void> {
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
    const result = await this.#delivery.deliver({ id: messageId, account: taken, sendBefore }, receipts)
    if (result === 'taken') return this.#done({ messageId, position, isLast })
    const again = later(this.#deps.clock(), result === 'refused' ? AGAIN : SOON)
    await this.#deps.receiptDeliveries.release([messageId], again)
  }

  #done(delivered: DeliveredReceipt): void {
    this.#delivered.push(delivered)
  }

  /** What cannot be recorded now is recorded later. */
  async #record(): Promise<void> {
    const delivered = this.#delivered
    if (delivered.length === 0) return
    this.#delivered = []
    try {
      await this.#deps.receiptDeliveries.complete(delivered, this.#deps.clock())
    } catch (error) {
      this.#delivered = [...delivered, ...this.#delivered].slice(-MOST_UNRECORDED)
      throw error
    }
    for (const { messageId } of delivered) this.#delivery.forget(messageId)
  }

  /** Messages whose parts did not all arrive are told of like expired ones. */
  async #sendIncomplete(now: Instant): Promise<void> {
    const demands = this.#delivery.demands()
    if (demands.length === 0) return
    this.#incompleteAt = now
    const leasedUntil = later(now, this.#lease)
    const taken = await this.#deps.partialMessages.takeIncomplete(demands, now, leasedUntil, MOST_INCOMPLETE)
    for (const message of taken) this.#track(message, () => this.#expire(message, later(now, SEND_WITHIN)))
  }

  async #expire(message: PartialMessage, sendBefore: Instant): Promise<void> {
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
    const result = await this.#delivery.deliver({ id: message.id, account: message, sendBefore }, receipts)
    if (result !== 'taken') return
    const { tenantId, total, parts } = message
    const fields = { message_id: messageId, tenant_id: tenantId, parts: parts.length, total }
    logger.warn(fields, 'smpp: parts of a message did not arrive in time, dropped the others')
    await partialMessages.remove([message.id])
    this.#delivery.forget(message.id)
  }

  /** Deletes what is too old, while receipts are sent. */
  #forget(now: Instant): void {
    if (this.#forgetting !== undefined || now - this.#forgottenAt < FORGET_EVERY_MS) return
    this.#forgottenAt = now
    this.#forgetting = this.#guarded(() => this.#forgetAll(now)).then(() => {
      this.#forgetting = undefined
    })
  }

  async #forgetAll(now: Instant): Promise<void> {
    const { signal } = this.#stop
    const { partialMessages, receiptDeliveries } = this.#deps
    while (!signal.aborted && (await partialMessages.forget(now)));
    const before = instant(now - RECEIPTS_KEPT_FOR)
    while (!signal.aborted && (await receiptDeliveries.forget(before)));
  }
}
