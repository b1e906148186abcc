/** The driver over a thread, which keeps the tables off the thread that answers HTTP. */
import type { Methods } from '../../lib/rpc-channel.ts'
import { serveThread, Thread } from '../../lib/thread-rpc.ts'
import { MalformedCursor } from '../../ports/malformed-cursor.ts'
import { reasonOf, Unavailable } from '../../ports/unavailable.ts'
import { DatabaseDamaged } from './damage.ts'
import type { Driver } from './driver.ts'

type Served<M extends Methods> = Readonly<{ driver: Driver<M> }> & AsyncDisposable
type SentError = readonly [name: string, reason: string]

/** The call that every thread answers: the names of all others. */
const NAMES = 'names'

const LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 48 }

/** Serves a driver from the entry file of a thread. */
export function serveDriver<M extends Methods>(open: (data: never) => Promise<Served<M>>): Promise<void> {
  const encodeError = (error: Error): SentError => [error.name, reasonOf(error)]
  return serveThread<M>(
    async (data) => {
      const served = await open(data)
      return {
        methods: (name, args) =>
          name === NAMES
            ? Promise.resolve(served.driver.names)
            : served.driver.call(name, args as Parameters<M[string]>),
        [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
      }
    },
    { encodeError },
  )
}

/** Starts a thread that calls `serveDriver`, and waits until it is ready. */
export const openThread = <M extends Methods>(entry: URL, data: object): Promise<ThreadDriver<M>> =>
  new ThreadDriver<M>(entry, data).start()

export class ThreadDriver<M extends Methods> implements Driver<M> {
  readonly #thread: Thread<Record<string, (...args: readonly unknown[]) => unknown>>
  /** Empty until the thread is ready. */
  #names: Driver<M>['names'] = []
  #damage: DatabaseDamaged | undefined

  constructor(entry: URL, data: object) {
    this.#thread = new Thread(entry, {
      data,
      limits: LIMITS,
      decodeError: (sent: SentError) => this.#toError(sent),
      onEnd: (cause) => this.#onEnd(cause),
    })
  }

  async start(): Promise<this> {
    this.#names = (await this.#thread.call(NAMES, [])) as Driver<M>['names']
    return this
  }

  get names(): Driver<M>['names'] {
    return this.#names
  }

  /** The first damage to the file that a call ran into. */
  get damage(): DatabaseDamaged | undefined {
    return this.#damage
  }

  call<Name extends keyof M>(name: Name, args: Parameters<M[Name]>): Promise<ReturnType<M[Name]>> {
    return this.#thread.call(name as string, args) as Promise<ReturnType<M[Name]>>
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread.close()
  }

  #toError([name, reason]: SentError): Error {
    if (name === Unavailable.name) return new Unavailable(reason)
    if (name === MalformedCursor.name) return new MalformedCursor()
    if (name !== DatabaseDamaged.name) return new Error(reason)
    const damage = new DatabaseDamaged(reason)
    this.#damage ??= damage
    return damage
  }

  /** A thread that dies of an error ends the process: what it has stored is unknown. */
  #onEnd(cause?: Error): Error {
    if (this.#names.length > 0 && cause !== undefined) throw cause
    return cause ?? new Unavailable('the database thread has ended')
  }
}
