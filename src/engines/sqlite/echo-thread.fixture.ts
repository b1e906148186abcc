/** The entry of a thread for tests. It answers and fails on request. */
import { Unavailable } from '../../ports/unavailable.ts'
import { DatabaseDamaged } from './damage.ts'
import type { Driver } from './driver.ts'
import { serveDriver } from './thread-driver.ts'

export type EchoData = Readonly<{ failure?: Readonly<{ message: string; exitCode?: number }> }>

const methods = {
  echo: (value: unknown): unknown => value,
  fault: (message: string): void => {
    throw new RangeError(message)
  },
  unavailable: (message: string): void => {
    throw new Unavailable(message)
  },
  damaged: (message: string): void => {
    throw new DatabaseDamaged(message)
  },
  never: (): void => new Promise(() => undefined) as unknown as undefined,
  exit: (): void => process.exit(),
  /** Dies of an error after it has answered. */
  die: (message: string): void =>
    void setTimeout(() => {
      throw new Error(message)
    }),
}

export type EchoMethods = typeof methods

const driver: Driver<EchoMethods> = {
  names: Object.keys(methods) as (keyof EchoMethods)[],
  async call(name, args) {
    return (methods[name] as (...args: readonly unknown[]) => unknown)(...args) as ReturnType<EchoMethods[typeof name]>
  },
  async [Symbol.asyncDispose]() {},
}

await serveDriver<EchoMethods>(async ({ failure }: EchoData) => {
  if (failure === undefined) return { driver, [Symbol.asyncDispose]: driver[Symbol.asyncDispose] }
  throw Object.assign(new Error(failure.message), failure)
})
