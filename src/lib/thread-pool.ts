/**
 * Threads that share a queue of calls, started as they are needed. When a thread dies its calls fail, and the calls
 * that wait get another thread.
 */
import type { Methods } from './rpc-channel.ts'
import { Thread, type ThreadOptions } from './thread-rpc.ts'

export type ThreadPoolOptions = Omit<ThreadOptions, 'onEnd'> &
  Readonly<{
    entry: URL
    /** What the threads do, as in "a hashing thread". */
    name: string
    threads: number
    /** How many calls a thread has at once. With two it never waits for the main thread. */
    callsPerThread: number
    /** A call that finds as many waiting is refused. */
    maxWaiting: number
    /** Makes the error of a call that was refused or whose thread ended. */
    unavailable: (message: string, options?: ErrorOptions) => Error
  }>

type Slot<M extends Methods> = { readonly thread: Thread<M>; calls: number }

export class ThreadPool<M extends Methods> implements AsyncDisposable {
  readonly #options: ThreadPoolOptions
  readonly #slots = new Set<Slot<M>>()
  readonly #waiting: PromiseWithResolvers<Slot<M>>[] = []
  #isClosed = false
  #hasSucceeded = false

  constructor(options: ThreadPoolOptions) {
    this.#options = options
  }

  /** Whether the last call that a thread answered succeeded, and no thread has died since. */
  get isProven(): boolean {
    return this.#hasSucceeded && this.#slots.values().every(({ thread }) => thread.isOpen)
  }

  async call<Name extends keyof M>(name: Name, args: Parameters<M[Name]>): Promise<ReturnType<M[Name]>> {
    const slot = await this.#take()
    try {
      const result = await slot.thread.call(name, args)
      this.#hasSucceeded = true
      return result
    } catch (error) {
      this.#hasSucceeded = false
      throw error
    } finally {
      slot.calls -= 1
      this.#assign()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(this.#closed())
    await Promise.all(this.#slots.values().map(({ thread }) => thread.terminate()))
  }

  #closed(): Error {
    return this.#options.unavailable(`the ${this.#options.name} threads are closed`)
  }

  async #take(): Promise<Slot<M>> {
    const { name, maxWaiting, unavailable } = this.#options
    if (this.#isClosed) throw this.#closed()
    if (this.#waiting.length >= maxWaiting) throw unavailable(`too many calls wait for the ${name} threads`)
    const taker = Promise.withResolvers<Slot<M>>()
    this.#waiting.push(taker)
    this.#assign()
    return taker.promise
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      const slot = this.#findSlot()
      if (slot === undefined) return
      slot.calls += 1
      this.#waiting.shift()?.resolve(slot)
    }
  }

  /** The thread with the fewest calls that can take one more; a new thread while none is idle and more may start. */
  #findSlot(): Slot<M> | undefined {
    const { threads, callsPerThread } = this.#options
    let found: Slot<M> | undefined
    for (const slot of this.#slots) {
      if (!slot.thread.isOpen) this.#slots.delete(slot)
      else if (slot.calls < (found?.calls ?? callsPerThread)) found = slot
    }
    return found?.calls !== 0 && this.#slots.size < threads ? this.#start() : found
  }

  #start(): Slot<M> {
    const { entry, name, unavailable } = this.#options
    const onEnd = (cause?: Error): Error => unavailable(`a ${name} thread has ended`, { cause })
    const slot = { thread: new Thread<M>(entry, { ...this.#options, onEnd }), calls: 0 }
    this.#slots.add(slot)
    return slot
  }
}
