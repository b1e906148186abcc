/**
 * A process that hands one message to a provider, and may die on the way. Dead, it hears nothing any more:
 * what it waits for never comes, so its code stops where it stands, and its connections close.
 */
import type { FactKind } from '../../src/domain/message/events.ts'
import type { SendOutcome } from '../../src/domain/message/outcome.ts'
import type { FakeProvider } from '../../src/flows/gateway.fixture.ts'
import type { EventLog } from '../../src/ports/event-log.ts'
import type { Attempt, Provider } from '../../src/ports/provider.ts'
import type { Queue } from '../../src/ports/queue.ts'
import { until } from '../support/until.ts'
import type { Outside } from './provider-outside.ts'
import { type Case, type Crash, canBeAsked, HANGS } from './provider-table.ts'

/** What was learnt of an attempt whose provider was called: nothing, where the process died before it could tell. */
export type Learnt = Readonly<{ attempt: number; outcome?: SendOutcome }>

export type Scene = Readonly<{
  given: Case
  outside: Outside
  /** Grows with every call, whichever process makes it. */
  learnt: Learnt[]
  /** Lets everything the provider took be reported. */
  report: () => Promise<unknown>
}>

/**
 * How long a process waits for one that hangs, which it does at the first call. It counts from when the request was read, so that a machine with
 * much else to do does not make it an attempt that was never sent.
 */
const IMPATIENT_MS = 20
const TOO_LONG = new DOMException('the provider took too long', 'TimeoutError')

const OUTCOMES: ReadonlySet<FactKind> = new Set([
  'HandoffAccepted',
  'HandoffUnknown',
  'RetryScheduled',
  'HandoffFailed',
  'DeadLettered',
])

export class Mortal implements Disposable {
  readonly #dies: Crash
  readonly #scene: Scene
  readonly #death = new AbortController()
  readonly #died = Promise.withResolvers<'died'>()
  readonly #never = Promise.withResolvers<never>()

  constructor(dies: Crash, scene: Scene) {
    this.#dies = dies
    this.#scene = scene
    this.#never.promise.catch(() => undefined)
  }

  /** When nobody looks any more: lets go of what it waits for, and of the timers beside it. */
  [Symbol.dispose](): void {
    this.#never.reject(new Error('this process is dead'))
  }

  get died(): Promise<'died'> {
    return this.#died.promise
  }

  log(log: EventLog): EventLog {
    return {
      ...log,
      append: async (entry) => {
        const { kind } = entry.event.fact
        if (kind === 'HandoffAttempted' && this.#dies === 'before the claim') return this.#die()
        if (!OUTCOMES.has(kind)) return log.append(entry)
        const { job, ends, ...alone } = entry
        if (this.#dies === 'after the outcome') return log.append(alone).then(() => this.#die())
        if (this.#dies !== 'with the job lost') return log.append(entry)
        return log.append({ ...alone, ...(ends === undefined ? {} : { ends }) }).then(() => this.#die())
      },
    }
  }

  /** Where a receipt told the outcome before the answer came, the job is given up by itself. */
  queue(queue: Queue): Queue {
    return {
      ...queue,
      done: async (taken) => {
        if (this.#dies === 'after the outcome') return this.#die()
        await queue.done(taken)
        if (this.#dies === 'with the job lost') return this.#die()
      },
    }
  }

  provider(provider: Provider): FakeProvider {
    const { lookup, ...rest } = provider
    const { given, outside } = this.#scene
    return {
      ...rest,
      calls: [],
      send: (attempt, signal) => this.#send(provider, attempt, signal),
      ...(lookup !== undefined && canBeAsked(given.news)
        ? { lookup: (...asked) => outside.ask(() => lookup(...asked)) }
        : {}),
    }
  }

  async #send(provider: Provider, attempt: Attempt, signal: AbortSignal): Promise<SendOutcome> {
    const { outside, learnt, given, report } = this.#scene
    if (this.#dies === 'before the call') return this.#die()
    const { attempt: number } = attempt.ref
    const nth = learnt.push({ attempt: number })
    const impatience = new AbortController()
    const signals = [signal, impatience.signal, this.#death.signal]
    const answer = provider.send(attempt, AbortSignal.any(signals))
    await untilRead(outside, attempt, nth, answer)
    if (given.news === 'an early receipt') await report()
    if (this.#dies === 'during the call') return this.#dieCalling()

    if (nth === 1 && HANGS.has(given.conduct)) setTimeout(() => impatience.abort(TOO_LONG), IMPATIENT_MS)
    const outcome = await answer
    if (this.#dies === 'after the answer') return this.#dieCalling()
    outside.callEnded()
    learnt[nth - 1] = { attempt: number, outcome }
    return outcome
  }

  #dieCalling(): Promise<never> {
    this.#scene.outside.callEnded()
    return this.#die()
  }

  async #die(): Promise<never> {
    this.#death.abort()
    await this.#scene.outside.processDied?.()
    this.#died.resolve('died')
    return this.#never.promise
  }
}

/** Or answered: where nobody is there, nobody reads. */
async function untilRead(outside: Outside, attempt: Attempt, nth: number, answer: Promise<unknown>): Promise<void> {
  let isAnswered = false
  void answer.finally(() => {
    isAnswered = true
  })
  const isRead = async () => (await outside.hasRead(attempt, nth)) || isAnswered
  await until('the call to be heard', isRead, { everyMs: 2 })
}
