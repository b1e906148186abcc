/**
 * A process that hands one message to a provider and may crash on the way. After a crash its pending calls never
 * resolve, so its code stops, and its connections close.
 */

import type { FactKind } from '../../src/domain/message/events.ts'
import type { SendOutcome } from '../../src/domain/message/outcome.ts'
import type { FakeProvider } from '../../src/flows/gateway.fixture.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { EventLog } from '../../src/ports/event-log.ts'
import type { Attempt, Provider } from '../../src/ports/provider.ts'
import type { Queue } from '../../src/ports/queue.ts'
import { until } from '../support/until.ts'
import { type Case, type Crash, canLookUp, HANGS } from './provider-cases.ts'
import type { ExternalProvider } from './provider-external.ts'

/** A call to the provider, and its outcome unless the process crashed before it had one. */
export type CallRecord = Readonly<{ attempt: number; outcome?: SendOutcome }>

export type CrashContext = Readonly<{
  given: Case
  external: ExternalProvider
  /** The calls of all processes. */
  calls: CallRecord[]
  /** Makes the provider report everything it accepted. */
  report: () => Promise<unknown>
}>

/**
 * The timeout of a call to a provider that hangs. It starts when the request has been read, so that on a slow machine
 * the call does not time out before it was sent.
 */
const TIMEOUT_MS = 20
const TIMED_OUT = new DOMException('the provider took too long', 'TimeoutError')

const OUTCOMES: ReadonlySet<FactKind> = new Set([
  'HandoffAccepted',
  'HandoffUnknown',
  'RetryScheduled',
  'HandoffFailed',
  'DeadLettered',
])

export class CrashingProcess implements Disposable {
  readonly #crashPoint: Crash
  readonly #context: CrashContext
  readonly #death = new AbortController()
  readonly #died = Promise.withResolvers<'died'>()
  readonly #never = Promise.withResolvers<never>()

  constructor(crashPoint: Crash, context: CrashContext) {
    this.#crashPoint = crashPoint
    this.#context = context
    this.#never.promise.catch(() => undefined)
  }

  /** Rejects the pending calls, so that they and their timers can be released. */
  [Symbol.dispose](): void {
    this.#never.reject(new Error('this process has crashed'))
  }

  get died(): Promise<'died'> {
    return this.#died.promise
  }

  log(log: EventLog): EventLog {
    return {
      ...log,
      append: async (entry) => {
        const { kind } = entry.event.fact
        if (kind === 'HandoffAttempted' && this.#crashPoint === 'before the claim') return this.#crash()
        if (!OUTCOMES.has(kind)) return log.append(entry)
        const { job, ends, ...alone } = entry
        if (this.#crashPoint === 'after the outcome') return log.append(alone).then(() => this.#crash())
        if (this.#crashPoint !== 'with the job lost') return log.append(entry)
        return log.append(omitUndefined({ ...alone, ends })).then(() => this.#crash())
      },
    }
  }

  /** If a receipt stored the outcome before the answer, the job ends without an append. */
  queue(queue: Queue): Queue {
    return {
      ...queue,
      done: async (taken) => {
        if (this.#crashPoint === 'after the outcome') return this.#crash()
        await queue.done(taken)
        if (this.#crashPoint === 'with the job lost') return this.#crash()
      },
    }
  }

  provider(provider: Provider): FakeProvider {
    const { lookup, ...rest } = provider
    const { given, external } = this.#context
    return {
      ...rest,
      calls: [],
      send: (attempt, signal) => this.#send(provider, attempt, signal),
      ...(lookup !== undefined && canLookUp(given.feedback)
        ? { lookup: (...asked) => external.lookUp(() => lookup(...asked)) }
        : {}),
    }
  }

  async #send(provider: Provider, attempt: Attempt, signal: AbortSignal): Promise<SendOutcome> {
    const { external, calls, given, report } = this.#context
    if (this.#crashPoint === 'before the call') return this.#crash()
    const { attempt: number } = attempt.ref
    const nth = calls.push({ attempt: number })
    const timeout = new AbortController()
    const signals = [signal, timeout.signal, this.#death.signal]
    const answer = provider.send(attempt, AbortSignal.any(signals))
    await untilRead(external, attempt, nth, answer)
    if (given.feedback === 'early receipt') await report()
    if (this.#crashPoint === 'during the call') return this.#crashInCall()

    if (nth === 1 && HANGS.has(given.behaviour)) setTimeout(() => timeout.abort(TIMED_OUT), TIMEOUT_MS)
    const outcome = await answer
    if (this.#crashPoint === 'after the answer') return this.#crashInCall()
    external.callEnded()
    calls[nth - 1] = { attempt: number, outcome }
    return outcome
  }

  #crashInCall(): Promise<never> {
    this.#context.external.callEnded()
    return this.#crash()
  }

  async #crash(): Promise<never> {
    this.#death.abort()
    await this.#context.external.processDied?.()
    this.#died.resolve('died')
    return this.#never.promise
  }
}

/** Waits until the request has been read, or answered: an unreachable provider reads nothing. */
async function untilRead(
  external: ExternalProvider,
  attempt: Attempt,
  nth: number,
  answer: Promise<unknown>,
): Promise<void> {
  let isAnswered = false
  void answer.finally(() => {
    isAnswered = true
  })
  const isRead = async () => (await external.hasRead(attempt, nth)) || isAnswered
  await until('the call to be read', isRead, { everyMs: 2 })
}
