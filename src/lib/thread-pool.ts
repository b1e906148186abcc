/**
 * Threads that share their calls, started as they are needed. Calls wait in lanes that take turns; within a lane, keys
 * take turns. When a thread dies its calls fail, and the calls that wait get another thread.
 */
import type { Methods } from './rpc-channel.ts'
import { Thread, type ThreadOptions } from './thread-rpc.ts'
import { TurnQueue } from './turn-queue.ts'

export type ThreadPoolOptions = Omit<ThreadOptions, 'onEnd'> &
  Readonly<{
    entry: URL
    /** What the threads do, as in "a hashing thread". */
    name: string
    threads: number
    /** How many calls a thread has at once. With two it never waits for the main thread. */
    callsPerThread: number
    /** A call that finds as many waiting in its lane is refused. */
    maxWaiting: number
    /** A call that finds as many of its own key waiting in its lane is refused; any number unless given. */
    maxWaitingPerKey?: number
    /** One unless given. */
    lanes?: number
    /** Makes the error of a call that was refused or whose thread ended. */
    unavailable: (message: string, options?: ErrorOptions) => Error
    /** Makes the error of a call that was refused because of its key; `unavailable` unless given. */
    tooMany?: (message: string) => Error
  }>

/** Whose call it is. */
export type Turn = Readonly<{ lane: number; key: string }>

const ONLY_ONE: Turn = { lane: 0, key: '' }

type Slot<M extends Methods> = { readonly thread: Thread<M>; calls: number }

export class ThreadPool<M extends Methods> implements AsyncDisposable {
  readonly #options: ThreadPoolOptions
  readonly #slots = new Set<Slot<M>>()
  readonly #lanes: readonly TurnQueue<string, PromiseWithResolvers<Slot<M>>>[]
  #lane = 0
  #isClosed = false
  #hasSucceeded = false

  constructor(options: ThreadPoolOptions) {
    this.#options = options
    this.#lanes = Array.from({ length: options.lanes ?? 1 }, () => new TurnQueue())
  }

  /** Whether the last call that a thread answered succeeded, and no thread has died since. */
  get isProven(): boolean {
    return this.#hasSucceeded && this.#slots.values().every(({ thread }) => thread.isOpen)
  }

  async call<Name extends keyof M>(
    name: Name,
    args: Parameters<M[Name]>,
    turn: Turn = ONLY_ONE,
  ): Promise<ReturnType<M[Name]>> {
    const slot = await this.#take(turn)
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
    for (const lane of this.#lanes) for (const { reject } of lane.clear()) reject(this.#closed())
    await Promise.all(this.#slots.values().map(({ thread }) => thread.terminate()))
  }

  #closed(): Error {
    return this.#options.unavailable(`the ${this.#options.name} threads are closed`)
  }

  async #take({ lane, key }: Turn): Promise<Slot<M>> {
    const { name, maxWaiting, maxWaitingPerKey = maxWaiting, unavailable, tooMany = unavailable } = this.#options
    if (this.#isClosed) throw this.#closed()
    const queue = this.#lanes[lane]
    if (queue === undefined) throw new Error(`there is no lane ${lane} for the ${name} threads`)
    if (queue.size >= maxWaiting) throw unavailable(`too many calls wait for the ${name} threads`)
    if (queue.sizeOf(key) >= maxWaitingPerKey) throw tooMany(`too many calls of one key wait for the ${name} threads`)
    const taker = Promise.withResolvers<Slot<M>>()
    queue.push(key, taker)
    this.#assign()
    return taker.promise
  }

  #assign(): void {
    while (this.#lanes.some(({ size }) => size > 0)) {
      const slot = this.#findSlot()
      if (slot === undefined) return
      slot.calls += 1
      this.#next()?.resolve(slot)
    }
  }

  /** Of the next lane that has one. */
  #next(): PromiseWithResolvers<Slot<M>> | undefined {
    for (const _ of this.#lanes) {
      const next = this.#lanes[this.#lane]?.shift()
      this.#lane = (this.#lane + 1) % this.#lanes.length
      if (next !== undefined) return next
    }
    return undefined
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
