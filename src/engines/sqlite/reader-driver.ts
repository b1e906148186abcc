/** Calls on a read-only connection: each runs by itself. */
import type { DatabaseSync } from 'node:sqlite'
import type { Methods } from '../../lib/rpc-channel.ts'
import { asDamage } from './damage.ts'
import type { Driver } from './driver.ts'

export class ReaderDriver<M extends Methods> implements Driver<M> {
  readonly #db: DatabaseSync
  readonly #methods: M

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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#db.close()
  }
}
