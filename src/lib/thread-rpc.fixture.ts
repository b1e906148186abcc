/** The entry of a thread for tests. It answers and fails on request. */
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { serveThread } from './thread-rpc.ts'

export type EchoData = Readonly<{ failure?: string; hangsOnClose?: boolean }>

export type EchoMethods = {
  echo: (value: unknown) => unknown
  /** How many calls arrived in this turn of the loop. */
  together: () => number
  fail: (message: string) => void
  never: () => void
  /** Resolves when the thread closes. */
  untilClosed: () => string
  /** Resolves when it is aborted. */
  wait: (value: string, signal: AbortSignal) => string
  /** Calls the main thread back. */
  callBack: (value: number) => string
  exit: () => void
  /** Dies after it has answered. */
  die: (message: string) => void
}

export type MainMethods = { double: (value: number) => number; note: (text: string) => void }

const closed = Promise.withResolvers<string>()
let arrivals = 0

await serveThread<EchoMethods, MainMethods>(async ({ failure, hangsOnClose = false }: EchoData, main) => {
  if (failure !== undefined) throw Object.assign(new Error(failure), { exitCode: 73 })
  main.notify('note', ['starting'])
  return {
    methods: {
      echo: (value) => value,
      async together() {
        arrivals += 1
        await setImmediate()
        return arrivals
      },
      fail(message) {
        throw new TypeError(message)
      },
      never: () => new Promise(() => undefined),
      untilClosed: () => closed.promise,
      async wait(value, signal) {
        if (!signal.aborted) await once(signal, 'abort')
        return `${value}, aborted`
      },
      callBack: async (value) => String(await main.call('double', [value]).catch((error: Error) => error.message)),
      exit: () => process.exit(),
      die: (message) =>
        void setTimeout(() => {
          throw new Error(message)
        }),
    },
    async [Symbol.asyncDispose]() {
      main.notify('note', ['closing'])
      closed.resolve('closed')
      if (hangsOnClose) setInterval(() => undefined, 1_000)
    },
  }
})
