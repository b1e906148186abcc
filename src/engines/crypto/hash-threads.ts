/** Threads that hash, and those who wait for them. Each has its next task at hand, so that it never waits for us. */
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Done, Task } from './code-hash-thread.ts'

type Result = string | boolean
type Waiting = Readonly<{ task: Task; resolve: (result: Result) => void; reject: (error: Error) => void }>
type Thread = Readonly<{ worker: Worker /** In the order of their answers. */; given: Waiting[] }>

/** `script` is what a thread runs. */
export type HashThreadsOptions = Readonly<{ count: number; waiting: number; script?: URL | undefined }>

const SCRIPT = new URL('./code-hash-thread.ts', import.meta.url)
/** Takes about a millisecond. */
const TRIAL: Task = { keyed: 'trial', cost: 4 }
const TRIAL_MS = 2_000
/** The task a thread works on, and the one after it. */
const AT_HAND = 2

export class HashThreads implements AsyncDisposable {
  readonly #count: number
  readonly #most: number
  readonly #threads = new Set<Thread>()
  readonly #script: URL
  #waiting: Waiting[] = []
  #closed = false
  /** The last that was heard of a thread is that it had hashed something. */
  #isProven = false
  #trial: Promise<unknown> | undefined

  constructor({ count, waiting, script = SCRIPT }: HashThreadsOptions) {
    this.#count = count
    this.#most = waiting
    this.#script = script
  }

  /** Rejects when nothing can be hashed. As long as no thread has failed since the last result, nothing is tried. */
  async check(): Promise<void> {
    if (this.#isProven) return
    this.#trial ??= this.perform(TRIAL).finally(() => {
      this.#trial = undefined
    })
    const { promise: tooLong, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Unavailable(`nothing was hashed within ${TRIAL_MS} ms`)), TRIAL_MS)
    await Promise.race([this.#trial, tooLong]).finally(() => clearTimeout(timer))
  }

  perform(task: Task): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#closed) reject(new Unavailable('codes are no longer hashed here'))
      else if (this.#waiting.length >= this.#most) reject(new Unavailable('too many codes wait to be hashed'))
      else {
        this.#waiting.push({ task, resolve, reject })
        this.#handOut()
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const { reject } of this.#waiting) reject(new Unavailable('codes are no longer hashed here'))
    this.#waiting = []
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  #handOut(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idlest()
      const next = thread && this.#waiting.shift()
      if (next === undefined) return
      thread?.given.push(next)
      thread?.worker.postMessage(next.task)
    }
  }

  /** The thread with the least to do, if any can take more; a new one as long as no other is free and there may be more. */
  #idlest(): Thread | undefined {
    let idlest: Thread | undefined
    for (const thread of this.#threads) {
      if (thread.given.length < (idlest?.given.length ?? AT_HAND)) idlest = thread
    }
    return idlest?.given.length !== 0 && this.#threads.size < this.#count ? this.#start() : idlest
  }

  #start(): Thread {
    const thread: Thread = { worker: new Worker(this.#script), given: [] }
    thread.worker.on('message', (done: Done) => {
      const answered = thread.given.shift()
      this.#isProven = 'result' in done
      this.#handOut()
      if ('result' in done) answered?.resolve(done.result)
      else answered?.reject(new Error(`a code could not be hashed: ${done.failure}`))
    })
    thread.worker.on('error', (cause) => this.#bury(thread, cause))
    thread.worker.on('exit', () => this.#bury(thread))
    this.#threads.add(thread)
    return thread
  }

  /** What a thread died of is told to those it worked for; whoever waits gets another. */
  #bury(thread: Thread, cause?: unknown): void {
    this.#threads.delete(thread)
    this.#isProven = false
    for (const { reject } of thread.given.splice(0)) {
      reject(new Unavailable('a thread that hashes codes has ended', { cause }))
    }
    this.#handOut()
  }
}
