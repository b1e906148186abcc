/**
 * Which names of the SMSC are whose, kept in the book so that receipts find their messages. A message that
 * the SMSC took is taken, whether the book is there or not: what it cannot keep now is kept as soon as it can.
 */
import type { AttemptRef } from '../../domain/ids.ts'
import { ofWhole, type PartReport } from '../../domain/message/part-reports.ts'
import type { Receipt } from '../../ports/provider.ts'
import type { ProviderContext } from '../kind.ts'
import { SessionQueue } from './sessions-queue.ts'

/** `isNews`: nobody was told yet that the SMSC has the message. */
export type Naming = Readonly<{ names: readonly string[]; ref: AttemptRef; isNews?: true }>

const FIRST_WAIT_MS = 1_000
const MOST_WAIT_MS = 30_000

export class Names implements Disposable {
  readonly #place: Pick<ProviderContext, 'name' | 'receipts' | 'report' | 'tell'>
  /** What the book does not know yet, oldest first. */
  readonly #owed = new SessionQueue<Naming>()
  #timer: NodeJS.Timeout | undefined
  #waitMs = FIRST_WAIT_MS
  #isDisposed = false

  constructor(place: Pick<ProviderContext, 'name' | 'receipts' | 'report' | 'tell'>) {
    this.#place = place
  }

  /** Resolves when it is safe, or known that it will take longer. */
  async keep(naming: Naming): Promise<void> {
    // Some SMSCs name nothing, and then report nothing either.
    if (naming.names.length === 0) return
    try {
      await this.#write(naming)
    } catch (error) {
      if (this.#owed.length === 0) {
        const sentence = 'the names of sent messages cannot be stored, and will be as soon as they can'
        this.#place.tell('warn', sentence, { reason: String(error) })
      }
      this.#owed.push(naming)
      if (this.#timer === undefined) this.#tryLater()
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    clearTimeout(this.#timer)
    const { length } = this.#owed
    if (length > 0) this.#place.tell('warn', 'receipts of messages will not be recognised', { messages: length })
  }

  /** What was reported under the names before they were known is passed on. */
  async #write({ names, ref, isNews }: Naming): Promise<void> {
    const { name, receipts, report } = this.#place
    const whole = ofWhole(await receipts.register(name, names, ref))
    if (whole !== undefined) await report(toReceipt(ref, names, whole))
    else if (isNews) await report(toReceipt(ref, names, { state: 'accepted' }))
  }

  #tryLater(): void {
    if (this.#isDisposed) return
    this.#timer = setTimeout(() => void this.#tryAgain(), this.#waitMs)
  }

  async #tryAgain(): Promise<void> {
    try {
      for (let next = this.#owed.first; next !== undefined; next = this.#owed.first) {
        await this.#write(next)
        this.#owed.shift()
      }
    } catch {
      this.#waitMs = Math.min(MOST_WAIT_MS, this.#waitMs * 2)
      this.#tryLater()
      return
    }
    this.#waitMs = FIRST_WAIT_MS
    this.#timer = undefined
    this.#place.tell('info', 'the names of sent messages are stored again')
  }
}

/** The first name stands for the message. The same state told twice is the same report. */
export function toReceipt(ref: AttemptRef, names: readonly string[], report: Omit<PartReport, 'at'>): Receipt {
  const { state, code, detail } = report
  return {
    ref,
    providerMessageId: names[0] ?? '',
    state,
    reportId: state,
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail }),
  }
}
