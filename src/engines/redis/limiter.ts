/**
 * Counters in Redis. One script decides and counts for all counters of a call, so processes share a limit exactly. A
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
  readonly #missed: Coalescer<Counter>

  constructor(deps: RedisLimiterDeps) {
    this.#deps = deps
    this.#since = `${deps.prefix}:limit:since`
    this.#missed = new Coalescer((counters) => this.#prime(counters))
  }

  /** Counts one on each, if all admit it. */
  async decide(counters: readonly Counter[]): Promise<Decision> {
    const answer = await this.#ask(counters, 1)
    const statuses = toStatuses(counters, answer)
    if (answer[0] === 'full') return { kind: 'full', statuses, retryAfter: waitIn(counters, answer) }
    const taken = statuses.map(({ counter, used }, nth) => ({ counter, start: startIn(answer, nth), used }))
    return { kind: 'taken', statuses, taken }
  }

  async statuses(counters: readonly Counter[]): Promise<readonly LimitStatus[]> {
    return toStatuses(counters, await this.#ask(counters, 0))
  }

  /** Takes the units back from their slices, as long as those still count. */
  async giveBack(taken: readonly Taken[]): Promise<readonly LimitStatus[]> {
    const { connection, clock } = this.#deps
    const counters = taken.map(({ counter }) => counter)
    const args = [clock(), ...counters.map(toArg), ...taken.map(({ start }) => start)]
    return toStatuses(counters, (await connection.run('pomboGiveBack', this.#keysOf(counters), args)) as Answer)
  }

  /** Raises counters to at least these counts. */
  async raise(counts: readonly Count[]): Promise<void> {
    await Promise.all(counts.map((count) => this.#put('pomboRaise', count)))
  }

  /** Drops counters that were counted elsewhere, so that they are loaded again. From now on they are counted here. */
  async forget(counters: readonly Counter[]): Promise<void> {
    const { connection, clock } = this.#deps
    await connection.run('pomboForget', [this.#since, ...this.#keysOf(counters)], [clock()])
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
    const { connection, clock, skew = SKEW } = this.#deps
    const keys = [this.#since, ...this.#keysOf(counters)]
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const args = [clock(), by, skew, ...counters.map(toArg)]
      const answer = (await connection.run('pomboDecide', keys, args)) as Answer
      if (answer[0] !== 'unknown') return answer
      const missed = counters.filter((_, nth) => answer.includes(nth))
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
    const slices = current(counter.rule, tally, at).flat()
    await this.#deps.connection.run(script, this.#keysOf([counter]), [at, toArg(counter), ...slices])
  }

  #keysOf(counters: readonly Counter[]): readonly string[] {
    const { prefix } = this.#deps
    return counters.map((counter) => `${prefix}:limit:${nameOf(counter)}`)
  }
}

const toArg = ({ rule: { limit, window, algorithm }, setAt = instant(0) }: Counter): string =>
  `${limit} ${window} ${algorithm} ${setAt}`

/** A status, and for each counter how much is used, when that decreases, how long until one more fits, and its slice. */
type Answer = readonly ['taken' | 'full' | 'unknown', ...number[]]
const NUMBERS = 4

const numberIn = (answer: Answer, counter: number, index: 0 | 1 | 2 | 3): number =>
  (answer[1 + counter * NUMBERS + index] as number | undefined) ?? 0

const toStatuses = (counters: readonly Counter[], answer: Answer): readonly LimitStatus[] =>
  counters.map((counter, nth) => ({
    counter,
    used: numberIn(answer, nth, 0),
    resetsIn: millis(numberIn(answer, nth, 1)),
  }))

const startIn = (answer: Answer, nth: number): Instant => instant(numberIn(answer, nth, 3))

/** Until all of them admit one more. */
const waitIn = (counters: readonly Counter[], answer: Answer): Millis =>
  millis(Math.max(...counters.map((_, nth) => numberIn(answer, nth, 2))))
