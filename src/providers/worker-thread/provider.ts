/**
 * A provider that sends in a thread of its own, because to write, sign and encrypt what it sends would keep everybody
 * else waiting. Callbacks are read here. The thread is started by the first message, and again should it ever die:
 * what it had then is unknown, because it may have been sent.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { millis } from '../../lib/time.ts'
import type { Attempt } from '../../ports/provider.ts'
import { reasonOf } from '../../ports/unavailable.ts'
import type { OpenedProvider, ProviderContext } from '../kind.ts'
import { forNow, unknownOutcome } from '../provider-errors.ts'
import type { Asked, Standing, ThreadData, Told } from './wire.ts'

const SCRIPT = new URL('./thread.ts', import.meta.url)
/** Left alone, V8 lets the garbage of a thread grow to hundreds of megabytes before it looks. */
const MEMORY = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 48 }
/** More than any provider takes to let go of what it holds. */
const CLOSING_MS = 10_000

const NEW: Standing = { hasRoom: true, connections: { wanted: 0, up: 0 } }
const LOST = unknownOutcome('CONNECTION_LOST', 'the thread that sends ended before it told what became of it')
const CLOSED = { ...forNow('NOT_CONNECTED', 'the gateway is about to stop'), retryAfter: millis(0) }

/** `here` is the same provider opened as one that does not send; `script` is what the thread runs. */
export function openInThread(
  config: ThreadData['config'],
  place: ProviderContext,
  here: OpenedProvider,
  script = SCRIPT,
): OpenedProvider {
  const sending = new Sending(config, place, script)
  return {
    ...here,
    send: (attempt, signal) => sending.send(attempt, signal),
    hasRoom: () => sending.standing.hasRoom,
    ...(here.connections === undefined ? {} : { connections: () => sending.standing.connections }),
    async [Symbol.asyncDispose]() {
      await sending[Symbol.asyncDispose]()
      await here[Symbol.asyncDispose]()
    },
  }
}

type Waiting = Readonly<{ resolve: (outcome: SendOutcome) => void; reject: (error: Error) => void }>

class Sending implements AsyncDisposable {
  readonly #data: ThreadData
  readonly #place: ProviderContext
  readonly #script: URL
  readonly #waiting = new Map<number, Waiting>()
  #thread: Worker | undefined
  #isClosed = false
  #lastId = 0
  standing = NEW

  constructor(config: ThreadData['config'], place: ProviderContext, script: URL) {
    const { name, callbackUrl } = place
    this.#data = { config, name, ...(callbackUrl === undefined ? {} : { callbackUrl }) }
    this.#place = place
    this.#script = script
  }

  async send(attempt: Attempt, signal: AbortSignal): Promise<SendOutcome> {
    if (this.#isClosed) return CLOSED
    this.#thread ??= this.#start()
    this.#lastId += 1
    const id = this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<SendOutcome>()
    this.#waiting.set(id, { resolve, reject })
    this.#ask({ kind: 'send', id, attempt, now: this.#place.clock() })
    const giveUp = (): void => this.#ask({ kind: 'give up', id })
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    return promise.finally(() => {
      this.#waiting.delete(id)
      signal.removeEventListener('abort', giveUp)
    })
  }

  /** Lets the provider finish what is under way; a thread that hangs is ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const thread = this.#thread
    if (thread === undefined) return
    const ended = once(thread, 'exit')
    this.#ask({ kind: 'close' })
    const impatience = setTimeout(() => void thread.terminate(), CLOSING_MS)
    await ended
    clearTimeout(impatience)
  }

  #ask(asked: Asked): void {
    this.#thread?.postMessage(asked)
  }

  #start(): Worker {
    const thread = new Worker(this.#script, { workerData: this.#data, resourceLimits: MEMORY })
    thread.on('message', (told: Told) => this.#hear(told))
    thread.on('error', (cause) => this.#bury(thread, cause))
    thread.on('exit', () => this.#bury(thread))
    return thread
  }

  #hear(told: Told): void {
    switch (told.kind) {
      case 'sent':
        this.#waiting.get(told.id)?.resolve(told.outcome)
        return
      case 'broken':
        this.#waiting.get(told.id)?.reject(new Error(`the provider threw: ${told.name}`))
        return
      case 'report':
        void this.#store(told)
        return
      case 'standing':
        this.standing = told.standing
        return
      case 'note':
        this.#place.log(...told.note)
    }
  }

  async #store({ id, receipt }: Extract<Told, { kind: 'report' }>): Promise<void> {
    const failure = await this.#place.report(receipt).then(() => undefined, reasonOf)
    this.#ask({ kind: 'stored', id, ...(failure === undefined ? {} : { failure }) })
  }

  #bury(thread: Worker, cause?: Error): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    this.standing = NEW
    if (cause !== undefined)
      this.#place.log('warn', 'the thread that sends for a provider died', { reason: reasonOf(cause) })
    for (const { resolve } of this.#waiting.values()) resolve(LOST)
  }
}
