/**
 * The main thread's end of the simulator. Receptions of one turn of the event loop share one call and one promise.
 */
import { Thread } from '../../lib/thread-rpc.ts'
import { millis } from '../../lib/time.ts'
import { within } from './time.ts'
import type { Cell, DeliveredThrough, MailRow, SimulatorMethods, ThreadData, Written } from './wire.ts'

/** `late`: the answer is still to come, and the caller has to watch its own signal. */
export type Receiving = Written | Readonly<{ kind: 'late'; written: Promise<Written> }>

type Batch = Readonly<{ posted: number; rows: Cell[]; mails: MailRow[]; receiving: Promise<Receiving> }>

const LATE_AFTER = millis(250)
const CLOSING_TIME = millis(5000)
const LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 12 }

export class SimulatorLink {
  /** The callbacks with pending receipts from an earlier run. */
  readonly owed: readonly string[]
  readonly #thread: Thread<SimulatorMethods>
  #batch: Batch | undefined

  private constructor(thread: Thread<SimulatorMethods>, owed: readonly string[]) {
    this.#thread = thread
    this.owed = owed
  }

  /** Rejects when the file cannot be opened. */
  static async open(data: ThreadData): Promise<SimulatorLink> {
    const thread = new Thread<SimulatorMethods>(new URL('./thread.ts', import.meta.url), {
      data,
      limits: LIMITS,
      decodeError: (message: string) => new Error(`the simulator's file: ${message}`),
      onEnd: (cause) => cause ?? new Error('the simulator thread has ended'),
    })
    return new SimulatorLink(thread, await thread.call('owed', []))
  }

  /** False once the thread has ended or is closing: nothing can be called any more. */
  get isOpen(): boolean {
    return this.#thread.isOpen
  }

  /** Receives an SMS, given as the cells of its row, or a mail. Resolves when it is on the disk. */
  receive(reception: readonly Cell[] | MailRow): Promise<Receiving> {
    if (!this.isOpen) return Promise.resolve({ kind: 'refused', detail: 'the simulator is closed' })
    if (this.#batch?.posted !== this.#thread.posted) this.#batch = this.#openBatch()
    if ('letter' in reception) this.#batch.mails.push(reception)
    else this.#batch.rows.push(...reception)
    return this.#batch.receiving
  }

  call<Name extends keyof SimulatorMethods>(
    name: Name,
    ...args: Parameters<SimulatorMethods[Name]>
  ): Promise<ReturnType<SimulatorMethods[Name]>> {
    return this.#thread.call(name, args)
  }

  /** Finishes earlier calls, closes the file and ends the thread; a thread that hangs is left behind. */
  async close(delivered: DeliveredThrough): Promise<void> {
    this.call('markDelivered', delivered).catch(() => undefined)
    await this.#thread.close(CLOSING_TIME)
  }

  #openBatch(): Batch {
    const [rows, mails]: [Cell[], MailRow[]] = [[], []]
    const written = this.call('receive', { rows, mails }).catch(toUnknown)
    return { posted: this.#thread.posted, rows, mails, receiving: lateOr(written) }
  }
}

const toUnknown = (error: Error): Written => ({ kind: 'unknown', detail: error.message })

/** One timer for a batch, so that a caller need not watch its signal while the disk keeps up. */
async function lateOr(written: Promise<Written>): Promise<Receiving> {
  return (await within(LATE_AFTER, written)) ?? { kind: 'late', written }
}
