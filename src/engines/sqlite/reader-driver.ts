/** Calls on a read-only connection: each runs by itself, and there are no signals. */
import type { DatabaseSync } from 'node:sqlite'
import type { Methods } from '../../lib/rpc-channel.ts'
import { asDamage } from './damage.ts'
import { type Driver, Signalling, type Signals } from './driver.ts'

export class ReaderDriver<M extends Methods> implements Driver<M> {
  readonly #db: DatabaseSync
  readonly #methods: M
  readonly #signalling = new Signalling()

  constructor(db: DatabaseSync, methods: M) {
    this.#db = db
    this.#methods = methods
  }

  async call<Name extends keyof M>(name: Name, ...args: Parameters<M[Name]>): Promise<ReturnType<M[Name]>> {
    try {
      return this.#methods[name]?.(...(args as never[])) as ReturnType<M[Name]>
    } catch (error) {
      throw asDamage(this.#db.location() ?? 'the database', error)
    }
  }

  signals(): Signals {
    return this.#signalling.now
  }

  changed(which: keyof Signals, since: Signals, stop: AbortSignal): Promise<void> {
    return this.#signalling.changed(which, since, stop)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#db.close()
  }
}
