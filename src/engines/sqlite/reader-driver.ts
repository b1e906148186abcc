/** Calls on a read-only connection: each runs by itself. */
import type { DatabaseSync } from 'node:sqlite'
import { asDamage } from './damage.ts'
import type { Driver } from './driver.ts'
import { findMethod, type Method, type MethodsOf, methodsOf, type Tables } from './tables.ts'

export class ReaderDriver<T extends Tables> implements Driver<MethodsOf<T>> {
  readonly names: Driver<MethodsOf<T>>['names']
  readonly #db: DatabaseSync
  readonly #methods: ReadonlyMap<string, Method>

  constructor(db: DatabaseSync, tables: T) {
    this.#db = db
    this.#methods = methodsOf(tables)
    this.names = [...this.#methods.keys()] as Driver<MethodsOf<T>>['names']
  }

  async call<Name extends keyof MethodsOf<T>>(
    name: Name,
    args: Parameters<MethodsOf<T>[Name]>,
  ): Promise<ReturnType<MethodsOf<T>[Name]>> {
    try {
      return findMethod(this.#methods, name).run(...args) as ReturnType<MethodsOf<T>[Name]>
    } catch (error) {
      throw asDamage(this.#db.location() ?? 'the database', error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#db.close()
  }
}
