/**
 * The same calls over a message port, to keep the tables out of the thread that answers HTTP. Calls
 * made in one turn of the loop travel as one message, and so do their answers.
 */
import { once } from 'node:events'
import { type MessagePort, Worker } from 'node:worker_threads'
import { reasonOf, Unavailable } from '../../ports/unavailable.ts'
import { DatabaseDamaged } from './damage.ts'
import { type Driver, type Methods, Signalling, type Signals } from './driver.ts'

/** Call: `[id, name, args]`, three places each, one after the other. */
type Calls = unknown[]
/** `[tip, readied]`, then `[id, error or undefined, value]`, three places each. */
type Answers = unknown[]

/** What a thread holds, and lets go of when it ends. */
type Served<M extends Methods> = Readonly<{ driver: Driver<M> }> & AsyncDisposable

/** A worker that could not start, and the exit code its error asks for. */
type Failure = Readonly<{ failed: string; exitCode?: number }>

/**
 * The life of a thread: opens what it serves, answers calls until an empty message comes, and lets
 * go. Failing to open is told to the other end.
 */
export async function serveThread<M extends Methods>(
  port: MessagePort | null,
  open: () => Promise<Served<M>>,
): Promise<void> {
  if (port === null) throw new Error('this file is the entry of a worker thread')
  try {
    const served = await open()
    const stop = new AbortController()
    port.on('message', (calls: Calls) => {
      if (calls.length > 0) return
      stop.abort()
      void served[Symbol.asyncDispose]().then(() => port.close())
    })
    serve(port, served.driver, stop.signal)
  } catch (error) {
    const { message, exitCode } = error as Error & { exitCode?: number }
    const failure: Failure = { failed: message, ...(exitCode === undefined ? {} : { exitCode }) }
    port.postMessage(failure)
    port.close()
  }
}

/** Left alone, V8 lets the garbage of a thread grow to hundreds of megabytes before it looks. */
const MEMORY = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 48 }

/** Starts a thread that calls `serveThread` and waits until it answers. */
export async function openThread<M extends Methods>(entry: URL, workerData: object): Promise<ThreadDriver<M>> {
  const worker = new Worker(entry, { workerData, resourceLimits: MEMORY })
  // Nobody listens for an error after that: a thread that dies takes the process along.
  const [first] = (await once(worker, 'message')) as [Answers | Failure]
  if ('failed' in first) throw Object.assign(new Error(first.failed), { exitCode: first.exitCode })
  return new ThreadDriver<M>(worker, first)
}

/** Answers the calls that come in at `port` with those of `driver`. */
function serve<M extends Methods>(port: MessagePort, driver: Driver<M>, stop: AbortSignal): void {
  let answers: Answers = []
  const post = (): void => {
    const { tip, readied } = driver.signals()
    const batch = answers
    answers = []
    port.postMessage([tip, readied, ...batch])
  }
  const answer = (id: unknown, error: string | undefined, value: unknown): void => {
    if (answers.length === 0) queueMicrotask(post)
    answers.push(id, error, value)
  }
  port.on('message', (calls: Calls) => {
    for (let place = 0; place < calls.length; place += 3) {
      const id = calls[place]
      const args = calls[place + 2] as Parameters<M[string]>
      driver.call(calls[place + 1] as string, ...args).then(
        (value) => answer(id, undefined, value),
        (error: Error) => answer(id, reasonOf(error), error.name),
      )
    }
  })
  post()
  void announce(driver, post, stop)
}

/** Jobs that come due, and events written by this thread itself, have no answer to travel with. */
async function announce<M extends Methods>(driver: Driver<M>, post: () => void, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await driver.changed('readied', driver.signals(), stop)
    queueMicrotask(post)
  }
}

type Pending = Readonly<{ resolve: (value: unknown) => void; reject: (error: unknown) => void }>

/** The driver that `serve` answers at the other end of the worker. An empty message asks it to end. */
export class ThreadDriver<M extends Methods> implements Driver<M> {
  readonly #worker: Worker
  readonly #signalling = new Signalling()
  readonly #pending = new Map<number, Pending>()
  #calls: Calls = []
  #lastId = 0
  #gone: Error | undefined
  #damage: DatabaseDamaged | undefined

  constructor(worker: Worker, first: Answers) {
    this.#worker = worker
    this.#receive(first)
    worker.on('message', (answers: Answers) => this.#receive(answers))
    worker.on('exit', () => this.#end())
  }

  call<Name extends keyof M>(name: Name, ...args: Parameters<M[Name]>): Promise<ReturnType<M[Name]>> {
    return new Promise((resolve, reject) => {
      if (this.#gone !== undefined) return reject(this.#gone)
      this.#lastId += 1
      this.#pending.set(this.#lastId, { resolve: resolve as Pending['resolve'], reject })
      if (this.#calls.length === 0) setImmediate(() => this.#post())
      this.#calls.push(this.#lastId, name, args)
    })
  }

  /** The damage to the file that a call has met first. */
  get damage(): DatabaseDamaged | undefined {
    return this.#damage
  }

  signals(): Signals {
    return this.#signalling.now
  }

  changed(which: keyof Signals, since: Signals, stop: AbortSignal): Promise<void> {
    return this.#signalling.changed(which, since, stop)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#gone !== undefined) return
    const ended = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()))
    this.#post()
    this.#worker.postMessage([])
    await ended
  }

  #post(): void {
    if (this.#calls.length > 0) this.#worker.postMessage(this.#calls)
    this.#calls = []
  }

  #receive(answers: Answers): void {
    for (let place = 2; place < answers.length; place += 3) {
      const id = answers[place] as number
      const call = this.#pending.get(id)
      this.#pending.delete(id)
      const error = answers[place + 1] as string | undefined
      const value = answers[place + 2]
      if (error === undefined) call?.resolve(value)
      else call?.reject(this.#revive(error, value))
    }
    this.#signalling.set({ tip: answers[0] as number, readied: answers[1] as number })
  }

  /** Errors travel as a sentence and a name. */
  #revive(sentence: string, name: unknown): Error {
    if (name === Unavailable.name) return new Unavailable(sentence)
    if (name !== DatabaseDamaged.name) return new Error(sentence)
    const damage = new DatabaseDamaged(sentence)
    this.#damage ??= damage
    return damage
  }

  #end(): void {
    this.#gone = new Unavailable('the database thread has ended')
    for (const { reject } of this.#pending.values()) reject(this.#gone)
    this.#pending.clear()
  }
}
