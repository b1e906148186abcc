/**
 * A worker thread as a set of methods. The main thread holds a `Thread`; the entry file of the thread calls
 * `serveThread`. A thread has calls queued for it until it serves.
 */
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads'
import { pause } from './pause.ts'
import { byName, type Dispatch, type ErrorCodec, type Handlers, type Methods, RpcChannel } from './rpc-channel.ts'

export type ThreadOptions = ErrorCodec &
  Readonly<{
    data?: unknown
    /** V8 lets the garbage of a thread without limits grow to hundreds of megabytes. */
    limits?: ResourceLimits
    /** The methods that the thread may call. */
    methods?: Methods
    /** Calls `flush` when what is to be posted together has been called: at the end of this turn, unless given. */
    schedule?: (flush: () => void) => void
    /**
     * Called once the thread has ended, with the error that it died of or could not start for, if any. Returns the
     * error that pending and later calls reject with.
     */
    onEnd: (cause?: Error) => Error
  }>

/** The longest a timer can wait. */
const NO_LIMIT_MS = 2 ** 31 - 1

export class Thread<M extends Methods> extends RpcChannel<M> {
  readonly #worker: Worker
  readonly #onEnd: ThreadOptions['onEnd']
  readonly #exit = new AbortController()
  #hasEnded = false

  constructor(entry: URL, options: ThreadOptions) {
    const { data, limits = {}, methods = {}, schedule = setImmediate, onEnd } = options
    const worker = new Worker(entry, { workerData: data, resourceLimits: limits })
    super(worker, schedule, options)
    this.#worker = worker
    this.#onEnd = onEnd
    const dispatch = byName(methods)
    worker.on('message', (batch) => this.receive(batch, dispatch))
    worker.on('error', (cause: Error) => this.#end(cause))
    worker.on('exit', () => {
      this.#end()
      this.#exit.abort()
    })
  }

  /**
   * Lets the thread finish and waits until it has ended. A thread that takes longer than `graceMs` is terminated, and
   * left behind when that takes as long again.
   */
  async close(graceMs = NO_LIMIT_MS): Promise<void> {
    if (this.isOpen) this.sendClose()
    await pause(graceMs, this.#exit.signal)
    if (this.#exit.signal.aborted) return
    void this.terminate()
    await pause(graceMs, this.#exit.signal)
    this.#end()
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  #end(cause?: Error): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.end(this.#onEnd(cause))
  }
}

/** What a thread serves, and closes when it ends. */
export type Served<M extends Methods> = Partial<AsyncDisposable> &
  Readonly<{
    methods: Handlers<M> | Dispatch
    /** Called before every message to the main thread; what it sends goes with that message. */
    beforePost?: () => void
  }>

/**
 * The life of a thread: opens what it serves, answers calls until it is asked to close, and closes. An error of `open`
 * is one that the thread could not start for. `niceness` is its priority: 19 is the lowest.
 */
export async function serveThread<M extends Methods, Main extends Methods = Methods>(
  open: (data: never, main: RpcChannel<Main>) => Served<M> | Promise<Served<M>>,
  { niceness = 0, ...errors }: ErrorCodec & Readonly<{ niceness?: number }> = {},
): Promise<void> {
  const port = parentPort
  if (port === null) throw new Error('this file is the entry of a worker thread')
  if (niceness > 0) lowerPriority(niceness)
  let beforePost: Served<M>['beforePost']
  const main = new RpcChannel<Main>(
    port,
    (flush) =>
      queueMicrotask(() => {
        beforePost?.()
        flush()
      }),
    errors,
  )
  const served = await open(workerData as never, main)
  beforePost = served.beforePost
  const dispatch = typeof served.methods === 'function' ? served.methods : byName(served.methods)
  const close = async (): Promise<void> => {
    await served[Symbol.asyncDispose]?.()
    // The last answers are posted within this turn.
    await nextTurn()
    port.close()
  }
  port.on('message', (batch) => main.receive(batch, dispatch, () => void close()))
}

/** On Linux each thread has a priority of its own. Elsewhere, or without permission, it keeps that of the process. */
function lowerPriority(niceness: number): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Number.parseInt(readFileSync('/proc/thread-self/stat', 'utf8'), 10), niceness)
  } catch {
    return
  }
}
