/**
 * The main thread's end of the simulator. Receptions that come while others are being written share the next call, so
 * the thread is woken once for a commit.
 */
import { Thread } from '../../lib/thread-rpc.ts'
import { millis } from '../../lib/time.ts'
import { within } from './time.ts'
import type { Cell, DeliveredThrough, MailRow, Receptions, SimulatorMethods, ThreadData, Written } from './wire.ts'

/** `late`: the answer is still to come, and the caller has to watch its own signal. */
export type Receiving = Written | Readonly<{ kind: 'late'; written: Promise<Written> }>

/** Receptions that are not posted yet. */
type Batch = Receptions & Readonly<{ rows: Cell[]; mails: MailRow[]; post: () => void; receiving: Promise<Receiving> }>

const LATE_AFTER = millis(250)
const CLOSING_TIME = millis(5000)
const LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 12 }

export class SimulatorLink {
  /** The callbacks with pending receipts from an earlier run. */
  readonly owed: readonly string[]
  readonly #thread: Thread<SimulatorMethods>
  #gathering: Batch | undefined
  /** Batches that are being written. */
  #underWay = 0

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
    if (!this.isOpen) return Promise.resolve(CLOSED)
    const batch = this.#gathering ?? this.#gather()
    if ('letter' in reception) batch.mails.push(reception)
    else batch.rows.push(...reception)
    return batch.receiving
  }

  /** Earlier receptions are posted first: a lookup that finds none promises that there is none. */
  call<Name extends keyof SimulatorMethods>(
    name: Name,
    ...args: Parameters<SimulatorMethods[Name]>
  ): Promise<ReturnType<SimulatorMethods[Name]>> {
    this.#gathering?.post()
    return this.#thread.call(name, args)
  }

  /** Finishes earlier calls, closes the file and ends the thread; a thread that hangs is left behind. */
  async close(delivered: DeliveredThrough): Promise<void> {
    this.call('markDelivered', delivered).catch(() => undefined)
    await this.#thread.close(CLOSING_TIME)
  }

  #gather(): Batch {
    const { promise: written, resolve } = Promise.withResolvers<Written>()
    const receptions = { rows: [], mails: [] }
    const post = (): void => resolve(this.#write(receptions))
    const batch: Batch = { ...receptions, post, receiving: lateOr(written) }
    this.#gathering = batch
    // Posted in the next turn at the earliest, with the receptions of this one.
    if (this.#underWay === 0) setImmediate(() => this.#postNext())
    return batch
  }

  async #write(receptions: Receptions): Promise<Written> {
    // Before the call, which posts what is still gathered.
    this.#gathering = undefined
    this.#underWay += 1
    const written = this.isOpen ? await this.call('receive', receptions).catch(toUnknown) : CLOSED
    this.#underWay -= 1
    this.#postNext()
    return written
  }

  #postNext(): void {
    if (this.#underWay === 0) this.#gathering?.post()
  }
}

const CLOSED: Written = { kind: 'refused', detail: 'the simulator is closed' }
const toUnknown = (error: Error): Written => ({ kind: 'unknown', detail: error.message })

/** One timer for a batch, so that a caller need not watch its signal while the disk keeps up. */
async function lateOr(written: Promise<Written>): Promise<Receiving> {
  return (await within(LATE_AFTER, written)) ?? { kind: 'late', written }
}
