/** The entry of a thread for tests: it answers what it is told to, and breaks as it is told to. */
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { Unavailable } from '../../ports/unavailable.ts'
import { DatabaseDamaged } from './damage.ts'
import { type Driver, Signalling } from './driver.ts'
import { serveThread } from './thread-driver.ts'

export type EchoData = Readonly<{ failure?: Readonly<{ message: string; exitCode?: number }> }>

const signalling = new Signalling()
let arrivals = 0

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
  /** How many calls have come in this turn of the loop. */
  together: (): number => {
    arrivals += 1
    return setImmediate().then(() => arrivals) as unknown as number
  },
  never: (): void => new Promise(() => undefined) as unknown as undefined,
  write: (): void => signalling.set({ ...signalling.now, tip: signalling.now.tip + 1 }),
  /** Makes a job ready a little later, when no call is under way. */
  readyLater: (): void => {
    setTimeout(() => signalling.set({ ...signalling.now, readied: signalling.now.readied + 1 }), 5)
  },
  exit: (): void => process.exit(),
}

export type EchoMethods = typeof methods

const driver: Driver<EchoMethods> = {
  async call(name, ...args) {
    return (methods[name] as (...args: readonly unknown[]) => unknown)(...args) as ReturnType<EchoMethods[typeof name]>
  },
  signals: () => signalling.now,
  changed: signalling.changed.bind(signalling),
  async [Symbol.asyncDispose]() {},
}

await serveThread<EchoMethods>(parentPort, async () => {
  const { failure } = workerData as EchoData
  if (failure === undefined) return { driver, [Symbol.asyncDispose]: driver[Symbol.asyncDispose] }
  throw Object.assign(new Error(failure.message), failure)
})
