/**
 * Registers the SMSC's message ids as carrier references, so that delivery receipts find their messages. A message that
 * the SMSC accepted stays accepted if the store is unavailable: the registration is retried until it succeeds.
 */
import type { AttemptRef } from '../../domain/ids.ts'
import { ofWhole, type PartReport } from '../../domain/message/part-reports.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Receipt } from '../../ports/provider.ts'
import type { ProviderContext } from '../kind.ts'

/** `isLate`: the send already ended as unknown, so that the SMSC has the message must be reported. */
export type Registration = Readonly<{ messageIds: readonly string[]; ref: AttemptRef; isLate?: true }>

type Deps = Pick<ProviderContext, 'name' | 'carrierReferences' | 'report' | 'log'>

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000

export class ReferenceRegistrar implements Disposable {
  readonly #deps: Deps
  /** Failed registrations, oldest first. */
  readonly #pending: Registration[] = []
  #timer: NodeJS.Timeout | undefined
  #waitMs = FIRST_WAIT_MS
  #isDisposed = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Resolves when it is stored, or when the first try has failed. */
  async register(registration: Registration): Promise<void> {
    // Some SMSCs return no ids. They send no receipts either.
    if (registration.messageIds.length === 0) return
    try {
      await this.#store(registration)
    } catch (error) {
      if (this.#pending.length === 0) {
        this.#deps.log('warn', 'smpp: carrier references cannot be stored, retrying', { reason: String(error) })
      }
      this.#pending.push(registration)
      if (this.#timer === undefined) this.#retryLater()
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    clearTimeout(this.#timer)
    const { length: messages } = this.#pending
    if (messages > 0) this.#deps.log('warn', 'smpp: carrier references lost at shutdown', { messages })
  }

  /** Also reports what arrived under these ids before they were registered. */
  async #store({ messageIds, ref, isLate }: Registration): Promise<void> {
    const { name, carrierReferences, report } = this.#deps
    const whole = ofWhole(await carrierReferences.register(name, messageIds, ref))
    if (whole !== undefined) await report(toReceipt(ref, messageIds, whole))
    else if (isLate) await report(toReceipt(ref, messageIds, { state: 'accepted' }))
  }

  #retryLater(): void {
    if (this.#isDisposed) return
    this.#timer = setTimeout(() => void this.#retry(), this.#waitMs)
  }

  async #retry(): Promise<void> {
    let stored = 0
    try {
      // Registrations that fail meanwhile are appended, and stored in this loop too.
      for (const registration of this.#pending) {
        await this.#store(registration)
        stored += 1
      }
    } catch {
      this.#pending.splice(0, stored)
      this.#waitMs = Math.min(MAX_WAIT_MS, this.#waitMs * 2)
      this.#retryLater()
      return
    }
    this.#pending.length = 0
    this.#waitMs = FIRST_WAIT_MS
    this.#timer = undefined
    this.#deps.log('info', 'smpp: carrier references stored again')
  }
}

/** The first id identifies the message. The state is the report id, so the same state reported twice is one report. */
export function toReceipt(ref: AttemptRef, messageIds: readonly string[], report: Omit<PartReport, 'at'>): Receipt {
  const { state, code, detail } = report
  return omitUndefined({ ref, providerMessageId: messageIds[0] ?? '', state, reportId: state, code, detail })
}
