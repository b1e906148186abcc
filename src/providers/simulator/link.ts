/**
 * The main thread's end of the line to the simulator's thread. What is asked in one turn of the
 * event loop goes over as one message, and receptions share one request and one promise.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { millis } from '../../lib/time.ts'
import { within } from './time.ts'
import type {
  Answer,
  Answers,
  Asked,
  Cell,
  MailRow,
  Ready,
  Reply,
  Request,
  Settled,
  ThreadData,
  Written,
} from './wire.ts'

/** `late` means that the answer is still to come, and that the caller had better watch its own time. */
export type Receiving = Written | Readonly<{ kind: 'late'; written: Promise<Written> }>

type Pending = Readonly<{ resolve: (answer: Answer) => void; reject: (error: Error) => void }>
type Batch = Readonly<{ rows: Cell[]; mails: MailRow[]; receiving: Promise<Receiving> }>

const PATIENCE = millis(250)
const CLOSING_TIME = millis(5000)

/** Left alone, V8 lets the garbage of a thread grow to hundreds of megabytes before it looks. */
const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 12 }

export class SimulatorLink {
  /** The callbacks that are owed receipts since before. */
  readonly owed: readonly string[]
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  #outgoing: Asked[] = []
  #batch: Batch | undefined
  #gone: Error | undefined

  private constructor(worker: Worker, { owed }: Ready) {
    this.owed = owed
    this.#worker = worker
    worker.on('message', (replies: readonly Reply[]) => this.#settle(replies))
    worker.on('error', (cause) => this.#fail(new Error('the simulator thread broke', { cause })))
    worker.on('exit', () => this.#fail(new Error('the simulator thread ended')))
  }

  /** Rejects when the file cannot be opened. */
  static async open(workerData: ThreadData): Promise<SimulatorLink> {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData, resourceLimits: MEMORY })
    const [ready] = await once(worker, 'message')
    return new SimulatorLink(worker, ready)
  }

  /** False once the thread has broken or was closed: nothing can be asked any more. */
  get isOpen(): boolean {
    return this.#gone === undefined
  }

  /** Takes one reception, an SMS as the cells of its row; the answer comes when it is on the disk. */
  receive(reception: readonly Cell[] | MailRow): Promise<Receiving> {
    if (this.#gone !== undefined) return Promise.resolve({ kind: 'refused', detail: this.#gone.message })
    this.#batch ??= this.#openBatch()
    if ('letter' in reception) this.#batch.mails.push(reception)
    else this.#batch.rows.push(...reception)
    return this.#batch.receiving
  }

  ask<Kind extends Request['kind']>(request: Extract<Request, { kind: Kind }>): Promise<Answers[Kind]> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone)
    if (this.#outgoing.length === 0) setImmediate(() => this.#flush())
    const id = ++this.#lastId
    this.#outgoing.push({ id, request })
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject })
    })
  }

  /** Finishes what was asked, closes the file and ends the thread; a thread that hangs is left behind. */
  async close(settled: Settled): Promise<void> {
    const closed = this.ask({ kind: 'close', settled }).catch(() => undefined)
    this.#gone ??= new Error('the simulator is closed')
    await within(CLOSING_TIME, closed)
    await within(CLOSING_TIME, this.#worker.terminate())
  }

  #openBatch(): Batch {
    const [rows, mails]: [Cell[], MailRow[]] = [[], []]
    const written = this.ask({ kind: 'receive', rows, mails }).catch(toDoubt)
    return { rows, mails, receiving: patiently(written) }
  }

  #flush(): void {
    const asked = this.#outgoing
    this.#outgoing = []
    this.#batch = undefined
    this.#worker.postMessage(asked)
  }

  #settle(replies: readonly Reply[]): void {
    for (const reply of replies) {
      const pending = this.#pending.get(reply.id)
      this.#pending.delete(reply.id)
      if ('failure' in reply) pending?.reject(new Error(`the simulator's file: ${reply.failure}`))
      else pending?.resolve(reply.answer)
    }
  }

  #fail(error: Error): void {
    this.#gone ??= error
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}

const toDoubt = (error: Error): Written => ({ kind: 'doubtful', detail: error.message })

/** One timer a batch, so that a caller need not watch its signal while the disk keeps up. */
async function patiently(written: Promise<Written>): Promise<Receiving> {
  return (await within(PATIENCE, written)) ?? { kind: 'late', written }
}
