/**
 * How the ports reach the tables, wherever these are: local-driver.ts runs their methods in this thread,
 * thread-driver.ts in another.
 */
import type { Methods } from '../../lib/rpc-channel.ts'

export interface Driver<M extends Methods> extends AsyncDisposable {
  /** The names of all methods. */
  readonly names: readonly (keyof M & string)[]

  /** Rejects with `Unavailable` when the store could not do it; then nothing is changed. */
  call<Name extends keyof M>(name: Name, args: Parameters<M[Name]>): Promise<ReturnType<M[Name]>>
}

type TableIn<Name> = Name extends `${infer Table}.${string}` ? Table : never

/** The methods of one table, as other threads call them. */
export type Remote<M extends Methods, Table extends TableIn<keyof M>> = {
  readonly [Name in keyof M as Name extends `${Table}.${infer Method}` ? Method : never]: (
    ...args: Parameters<M[Name]>
  ) => Promise<ReturnType<M[Name]>>
}

/** A table that is reached through a driver: an object like any other, with a method for each of the table's. */
export function remote<M extends Methods, Table extends TableIn<keyof M>>(
  driver: Driver<M>,
  table: Table,
): Remote<M, Table> {
  const names = driver.names.filter((name) => name.startsWith(`${table}.`))
  const methods = names.map((name) => [
    name.slice(table.length + 1),
    (...args: Parameters<M[typeof name]>) => driver.call(name, args),
  ])
  return Object.fromEntries(methods) as Remote<M, Table>
}
