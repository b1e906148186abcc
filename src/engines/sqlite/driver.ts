/**
 * How the ports reach the tables: method calls by name, wherever the tables are. local-driver.ts runs them in this
 * thread, thread-driver.ts in another.
 */
import type { Methods } from '../../lib/rpc-channel.ts'

export interface Driver<M extends Methods> extends AsyncDisposable {
  /** Rejects with `Unavailable` when the store could not do it; then nothing is changed. */
  call<Name extends keyof M>(name: Name, ...args: Parameters<M[Name]>): Promise<ReturnType<M[Name]>>
}
