/**
 * Calls over a message port, in both directions. Everything sent in one turn of the event loop travels as one message:
 * a flat array with four slots per item, which is the cheapest to clone.
 */

import { ChurnMap } from './churn-map.ts'

/** The methods of one end, as the other end sees them. */
export type Methods = Readonly<Record<string, (...args: never[]) => unknown>>

/** The methods of one end as it implements them: any of them may be asynchronous. */
export type Handlers<M extends Methods> = {
  readonly [Name in keyof M]: (...args: Parameters<M[Name]>) => ReturnType<M[Name]> | Promise<ReturnType<M[Name]>>
}

/** Calls a method by its name. */
export type Dispatch = (name: string, args: readonly unknown[]) => Promise<unknown>

/** The arguments of a method whose last one is an `AbortSignal`, without it. */
type UntilArgs<Method> = Method extends (...args: [...infer Args, AbortSignal]) => unknown ? Args : never

export type ErrorCodec = Readonly<{
  /** What this end sends of an error: by default its message. */
  encodeError?: (error: Error) => unknown
  /** The error that a call of this end rejects with. */
  decodeError?: (sent: never) => Error
}>

type Port = Readonly<{ postMessage: (batch: readonly unknown[]) => void }>
type Pending = Readonly<{ resolve: (value: never) => void; reject: (error: Error) => void }>

const SLOTS = 4
/** The first slot of an item says what the other three are: */
const CALL = 0 // id, name, arguments
const CALL_UNTIL = 1 // id, name, arguments without the signal
const ABORT = 2 // id
const NOTIFY = 3 // 0, name, arguments
const READY = 4 // id
const RESULT = 5 // id, value
const ERROR = 6 // id, encoded error
const CLOSE = 7

export class RpcChannel<Remote extends Methods> {
  readonly #port: Port
  readonly #schedule: (flush: () => void) => void
  readonly #errors: ErrorCodec
  readonly #pending = new ChurnMap<number, Pending>()
  readonly #aborts = new Map<number, AbortController>()
  #batch: unknown[] = []
  #lastId = 0
  #posted = 0
  #isClosing = false
  #ended: Error | undefined

  /** `schedule` calls `flush` when this turn has sent everything. */
  constructor(port: Port, schedule: (flush: () => void) => void, errors: ErrorCodec) {
    this.#port = port
    this.#schedule = schedule
    this.#errors = errors
  }

  get isOpen(): boolean {
    return !this.#isClosing && this.#ended === undefined
  }

  /** How many messages were posted. As long as it stays the same, the arguments of a call are still here. */
  get posted(): number {
    return this.#posted
  }

  call<Name extends keyof Remote>(name: Name, args: Parameters<Remote[Name]>): Promise<ReturnType<Remote[Name]>> {
    return this.#call(CALL, name, args)
  }

  /** Aborts the method when `signal` aborts; the call settles when the method does. */
  callUntil<Name extends keyof Remote>(
    signal: AbortSignal,
    name: Name,
    args: UntilArgs<Remote[Name]>,
  ): Promise<ReturnType<Remote[Name]>> {
    const answer = this.#call<ReturnType<Remote[Name]>>(CALL_UNTIL, name, args)
    const id = this.#lastId
    const abort = (): void => this.#send(ABORT, id)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    return answer.finally(() => signal.removeEventListener('abort', abort))
  }

  /** A call without an answer. */
  notify<Name extends keyof Remote>(name: Name, args: Parameters<Remote[Name]>): void {
    this.#send(NOTIFY, 0, name, args)
  }

  /** Resolves when the other end has started. */
  ready(): Promise<void> {
    return this.#call(READY)
  }

  /** Asks the other end to close after earlier calls. Later calls are not posted; they reject with the end. */
  sendClose(): void {
    this.#isClosing = true
    this.#send(CLOSE, 0)
  }

  /** Rejects pending and later calls. */
  end(error: Error): void {
    this.#ended = error
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }

  receive(batch: readonly unknown[], dispatch: Dispatch, onClose?: () => void): void {
    for (let at = 0; at < batch.length; at += SLOTS) {
      const id = batch[at + 1] as number
      const value = batch[at + 2] as never
      const args = batch[at + 3] as readonly unknown[]
      switch (batch[at]) {
        case RESULT:
          this.#takePending(id)?.resolve(value)
          break
        case ERROR:
          this.#takePending(id)?.reject(this.#errors.decodeError?.(value) ?? new Error(value))
          break
        case CALL:
          this.#answer(id, dispatch(value, args))
          break
        case CALL_UNTIL:
          this.#answer(
            id,
            this.#startUntil(id, (signal) => dispatch(value, [...args, signal])),
          )
          break
        case ABORT:
          this.#aborts.get(id)?.abort()
          break
        case NOTIFY:
          void dispatch(value, args)
          break
        case READY:
          this.#send(RESULT, id)
          break
        case CLOSE:
          onClose?.()
      }
    }
  }

  #call<Result>(kind: number, name?: unknown, args?: unknown): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended)
      this.#lastId += 1
      this.#pending.set(this.#lastId, { resolve, reject })
      if (!this.#isClosing) this.#send(kind, this.#lastId, name, args)
    })
  }

  #send(kind: number, id: number, value?: unknown, args?: unknown): void {
    if (this.#batch.length === 0) this.#schedule(this.#flush)
    this.#batch.push(kind, id, value, args)
  }

  readonly #flush = (): void => {
    const batch = this.#batch
    this.#batch = []
    this.#posted += 1
    this.#port.postMessage(batch)
  }

  #takePending(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    return pending
  }

  #answer(id: number, result: Promise<unknown>): void {
    result.then(
      (value) => this.#send(RESULT, id, value),
      (error) => this.#send(ERROR, id, (this.#errors.encodeError ?? messageOf)(error)),
    )
  }

  #startUntil(id: number, start: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const controller = new AbortController()
    this.#aborts.set(id, controller)
    return start(controller.signal).finally(() => this.#aborts.delete(id))
  }
}

const messageOf = (error: Error): string => error.message

/** Dispatches to these methods. */
export const byName =
  (methods: Methods): Dispatch =>
  async (name, args) => {
    const method = methods[name]
    if (method === undefined) throw new Error(`there is no method ${name}`)
    return method(...(args as never[]))
  }
