/**
 * Decides for many callers with one script. One call of the script is under way at a time, and what is asked meanwhile
 * shares the next: the busier a process is, the fewer calls it makes for each message. The script decides one after
 * the other, in the order asked, as if each had called it alone.
 */
import { type Counter, nameOf } from '../../domain/limits/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { instant, type Millis } from '../../lib/time.ts'
import type { Call, Connection, Word } from './connection.ts'

/**
 * `unknown` when a counter is missing and may have been counted elsewhere. The numbers are those of `describe` in
 * scripts.ts for each counter; for `unknown`, the first is 1 if that counter is missing.
 */
export type Answer = Readonly<{ kind: 'unknown' | 'taken' | 'full'; numbers: readonly number[] }>

/** How many numbers the scripts return for each counter. */
export const NUMBERS = 4

export type DecisionsDeps = Readonly<{
  connection: Pick<Connection, 'run'>
  prefix: string
  clock: Clock
  /** Tolerated clock difference between two processes. */
  skew: Millis
}>

/** `by` is 1 to count, or 0 to look. */
type Ask = Readonly<{
  counters: readonly Counter[]
  by: 0 | 1
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}>

/** Bounds how long one call occupies Redis. */
const MOST_ASKS = 250
const KINDS = ['unknown', 'taken', 'full'] as const

export class Decisions {
  readonly #deps: DecisionsDeps
  #waiting: Ask[] = []
  #isUnderWay = false

  constructor(deps: DecisionsDeps) {
    this.#deps = deps
  }

  ask(counters: readonly Counter[], by: 0 | 1): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ counters, by, resolve, reject })
      if (!this.#isUnderWay) void this.#askAll()
    })
  }

  async #askAll(): Promise<void> {
    this.#isUnderWay = true
    while (this.#waiting.length > 0) await this.#askSome()
    this.#isUnderWay = false
  }

  async #askSome(): Promise<void> {
    let asks: readonly Ask[] = []
    try {
      const answer = await this.#deps.connection.run('pomboDecide', () => {
        asks = this.#waiting.splice(0, MOST_ASKS)
        return toCall(this.#deps, asks)
      })
      deliver(asks, answer as readonly number[])
    } catch (error) {
      // Those that wait would only learn the same later. Nothing was counted for them.
      for (const { reject } of [...asks, ...this.#waiting.splice(0)]) reject(error)
    }
  }
}

/** The key in Redis that holds since when it has seen every count. */
export const sinceKey = (prefix: string): string => `${prefix}:limit:since`

export const keyOf = (prefix: string, counter: Counter): string => `${prefix}:limit:${nameOf(counter)}`

export const toRuleArg = ({ rule: { limit, window, algorithm }, setAt = instant(0) }: Counter): string =>
  `${limit} ${window} ${algorithm} ${setAt}`

/** Each counter and each rule is sent once; the asks name them by their number. */
function toCall({ prefix, clock, skew }: DecisionsDeps, asks: readonly Ask[]): Call {
  const keys = new Map([[sinceKey(prefix), 1]])
  const rules = new Map<string, number>()
  const asked: Word[] = []
  for (const { counters, by } of asks) {
    asked.push(by, counters.length)
    for (const counter of counters) {
      asked.push(numberOf(keys, keyOf(prefix, counter)), numberOf(rules, toRuleArg(counter)))
    }
  }
  return { keys: [...keys.keys()], args: [clock(), skew, rules.size, ...rules.keys(), ...asked] }
}

/** The number of a text among those seen so far, counted from 1 as Lua does. */
function numberOf(seen: Map<string, number>, text: string): number {
  const known = seen.get(text)
  if (known !== undefined) return known
  seen.set(text, seen.size + 1)
  return seen.size
}

/** For every ask its kind, and then its numbers. */
function deliver(asks: readonly Ask[], answer: readonly number[]): void {
  let start = 0
  for (const { counters, resolve } of asks) {
    const end = start + 1 + counters.length * NUMBERS
    const kind = KINDS[answer[start] ?? -1]
    if (kind === undefined) throw new Error('Redis answered something else than decisions')
    resolve({ kind, numbers: answer.slice(start + 1, end) })
    start = end
  }
}
