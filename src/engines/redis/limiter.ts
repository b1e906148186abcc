/**
 * Counters in Redis. A script decides and counts for all counters of a call, so processes share a limit exactly. A
 * missing counter counts as zero if Redis has seen every count for long enough to know; otherwise it is loaded from
 * the durable store first. The name of a counter carries the version of its rule, so a changed limit leaves nothing
 * to delete.
 */
import type { Count } from '../../domain/limits/combined-tallies.ts'
import { type Counter, current, type LimitStatus, nameOf } from '../../domain/limits/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { Coalescer } from '../../lib/coalescer.ts'
import { type Instant, instant, type Millis, millis, seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Connection } from './connection.ts'
import { type Answer, Decisions, keyOf, NUMBERS, sinceKey, toRuleArg } from './decisions.ts'

/** A counted unit: its slice, and how many the counter has with it. */
export type Taken = Readonly<{ counter: Counter; start: Instant; used: number }>

export type Decision =
  | Readonly<{ kind: 'taken'; statuses: readonly LimitStatus[]; taken: readonly Taken[] }>
  | Readonly<{ kind: 'full'; statuses: readonly LimitStatus[]; retryAfter: Millis }>

export type RedisLimiterDeps = Readonly<{
  connection: Pick<Connection, 'run' | 'command' | 'reset'>
  prefix: string
  clock: Clock
  /** Loads counts from the durable store. */
  load: (counters: readonly Counter[]) => Promise<readonly Count[]>
  /** Tolerated clock difference between two processes. */
  skew?: Millis
}>

const SKEW = seconds(2)
/** A loaded counter may be evicted before it is used, but not repeatedly. */
const TRIES = 3
const PROBE_LASTS_MS = 1_000
const SCAN_COUNT = 1_000

export class RedisLimiter {
  readonly #deps: RedisLimiterDeps
  readonly #since: string
  readonly #decisions: Decisions
  readonly #missed: Coalescer<Counter>

  constructor(deps: RedisLimiterDeps) {
    const { connection, prefix, clock, skew = SKEW } = deps
    this.#deps = deps
    this.#since = sinceKey(prefix)
    this.#decisions = new Decisions({ connection, prefix, clock, skew })
    this.#missed = new Coalescer((counters) => this.#prime(counters))
  }

  /** Counts one on each, if all admit it. */
  async decide(counters: readonly Counter[]): Promise<Decision> {
    const { kind, numbers } = await this.#ask(counters, 1)
    const statuses = toStatuses(counters, numbers)
    if (kind === 'full') return { kind, statuses, retryAfter: waitIn(counters, numbers) }
    const taken = statuses.map(({ counter, used }, nth) => ({ counter, start: startIn(numbers, nth), used }))
    return { kind: 'taken', statuses, taken }
  }

  async statuses(counters: readonly Counter[]): Promise<readonly LimitStatus[]> {
    const { numbers } = await this.#ask(counters, 0)
    return toStatuses(counters, numbers)
  }

  /** Takes the units back from their slices, as long as those still count. */
  async giveBack(taken: readonly Taken[]): Promise<readonly LimitStatus[]> {
    const { connection, clock } = this.#deps
    const counters = taken.map(({ counter }) => counter)
    const numbers = await connection.run('pomboGiveBack', () => ({
      keys: this.#keysOf(counters),
      args: [clock(), ...counters.map(toRuleArg), ...taken.map(({ start }) => start)],
    }))
    return toStatuses(counters, numbers as readonly number[])
  }

  /** Raises counters to at least these counts. */
  async raise(counts: readonly Count[]): Promise<void> {
    await Promise.all(counts.map((count) => this.#put('pomboRaise', count)))
  }

  /** Drops counters that were counted elsewhere, so that they are loaded again. From now on they are counted here. */
  async forget(counters: readonly Counter[]): Promise<void> {
    const { connection, clock } = this.#deps
    const keys = [this.#since, ...this.#keysOf(counters)]
    await connection.run('pomboForget', () => ({ keys, args: [clock()] }))
  }

  /** Like `forget`, for all counters. */
  async forgetAll(): Promise<void> {
    const { connection, prefix } = this.#deps
    await this.forget([])
    let cursor = '0'
    do {
      const answer = await connection.command('scan', cursor, 'MATCH', `${prefix}:limit:*`, 'COUNT', SCAN_COUNT)
      const [next, found] = answer as [string, string[]]
      const keys = found.filter((key) => key !== this.#since)
      if (keys.length > 0) await connection.command('unlink', ...keys)
      cursor = next
    } while (cursor !== '0')
  }

  /** Checks that Redis accepts writes, not only that it answers. In a new Redis, counting starts here. */
  async probe(): Promise<void> {
    const { connection, prefix, clock } = this.#deps
    await Promise.all([
      connection.command('set', `${prefix}:probe`, 1, 'PX', PROBE_LASTS_MS),
      connection.command('set', this.#since, clock(), 'NX'),
    ])
  }

  reset(): void {
    this.#deps.connection.reset()
  }

  async #ask(counters: readonly Counter[], by: 0 | 1): Promise<Answer> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const answer = await this.#decisions.ask(counters, by)
      if (answer.kind !== 'unknown') return answer
      const missed = counters.filter((_, nth) => numberIn(answer.numbers, nth, 0) === 1)
      await this.#missed.join(missed.map((counter) => [nameOf(counter), counter]))
    }
    throw new Unavailable('Redis evicts counters as soon as they are loaded')
  }

  async #prime(counters: readonly Counter[]): Promise<void> {
    const counts = await this.#deps.load(counters)
    await Promise.all(counts.map((count) => this.#put('pomboPrime', count)))
  }

  async #put(script: 'pomboPrime' | 'pomboRaise', { counter, tally }: Count): Promise<void> {
    const at = this.#deps.clock()
    const args = [at, toRuleArg(counter), ...current(counter.rule, tally, at).flat()]
    await this.#deps.connection.run(script, () => ({ keys: this.#keysOf([counter]), args }))
  }

  #keysOf(counters: readonly Counter[]): readonly string[] {
    return counters.map((counter) => keyOf(this.#deps.prefix, counter))
  }
}

/** How much is used, when that decreases, how long until one more fits, and the slice that it is counted in. */
const numberIn = (numbers: readonly number[], counter: number, index: 0 | 1 | 2 | 3): number =>
  numbers[counter * NUMBERS + index] ?? 0

const toStatuses = (counters: readonly Counter[], numbers: readonly number[]): readonly LimitStatus[] =>
  counters.map((counter, nth) => ({
    counter,
    used: numberIn(numbers, nth, 0),
    resetsIn: millis(numberIn(numbers, nth, 1)),
  }))

const startIn = (numbers: readonly number[], nth: number): Instant => instant(numberIn(numbers, nth, 3))

/** Until all of them admit one more. */
const waitIn = (counters: readonly Counter[], numbers: readonly number[]): Millis =>
  millis(Math.max(...counters.map((_, nth) => numberIn(numbers, nth, 2))))
