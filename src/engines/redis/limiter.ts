/**
 * Counters in Redis. Deciding and counting for all counters of a call is one script, so processes share
 * a limit exactly. A counter that is not there is loaded from where the truth is, and then decided on. The
 * name of a counter carries the version of its rule: a limit that is changed leaves nothing to delete.
 */
import type { Count } from '../../domain/combined-tallies.ts'
import { type Counter, current, type Standing } from '../../domain/limits.ts'
import { type Instant, instant, type Millis, millis } from '../../domain/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Clock } from '../../ports/world.ts'
import type { Connection } from './connection.ts'

/** One that was counted: in which slice, and how many the counter has counted with it. */
export type Taken = Readonly<{ counter: Counter; start: Instant; used: number }>

export type Decision =
  | Readonly<{ kind: 'taken'; standings: readonly Standing[]; taken: readonly Taken[] }>
  | Readonly<{ kind: 'full'; standings: readonly Standing[]; retryAfter: Millis }>

export type RedisLimiterDeps = Readonly<{
  connection: Connection
  prefix: string
  clock: Clock
  /** What was counted as far as is known elsewhere. */
  load: (counters: readonly Counter[]) => Promise<readonly Count[]>
}>

/** What is loaded may be gone again; not again and again. */
const TRIES = 3
const PROBE_LASTS_MS = 1_000
const SCAN_COUNT = 1_000

export class RedisLimiter {
  readonly #deps: RedisLimiterDeps

  constructor(deps: RedisLimiterDeps) {
    this.#deps = deps
  }

  /** Counts one on each, if all admit it. */
  async decide(counters: readonly Counter[]): Promise<Decision> {
    const { isFull, states } = await this.#ask(counters, 1)
    const standings = states.map(({ standing }) => standing)
    if (isFull) return { kind: 'full', standings, retryAfter: millis(Math.max(...states.map(({ wait }) => wait))) }
    const taken = states.map(({ standing: { counter, used }, start }) => ({ counter, start, used }))
    return { kind: 'taken', standings, taken }
  }

  async standings(counters: readonly Counter[]): Promise<readonly Standing[]> {
    const { states } = await this.#ask(counters, 0)
    return states.map(({ standing }) => standing)
  }

  /** Takes it back where it was counted, as long as that still counts. */
  async giveBack(taken: readonly Taken[]): Promise<readonly Standing[]> {
    const { connection, clock } = this.#deps
    const counters = taken.map(({ counter }) => counter)
    const args = [clock(), ...counters.flatMap(toArgs), ...taken.map(({ start }) => start)]
    const answer = await connection.run('pomboGiveBack', this.#names(counters), args)
    return toStates(counters, answer).map(({ standing }) => standing)
  }

  /** Sees that nothing is forgotten here that is known elsewhere. */
  async raise(counts: readonly Count[]): Promise<void> {
    await Promise.all(counts.map((count) => this.#put('pomboRaise', count)))
  }

  /** Lets them be loaded anew. */
  async forget(counters: readonly Counter[]): Promise<void> {
    if (counters.length > 0) await this.#deps.connection.ask('unlink', ...this.#names(counters))
  }

  async forgetAll(): Promise<void> {
    const { connection, prefix } = this.#deps
    let cursor = '0'
    do {
      const answer = await connection.ask('scan', cursor, 'MATCH', `${prefix}:limit:*`, 'COUNT', SCAN_COUNT)
      const [next, names] = answer as [string, string[]]
      if (names.length > 0) await connection.ask('unlink', ...names)
      cursor = next
    } while (cursor !== '0')
  }

  /** Whether it can be written to, which is more than that it answers. */
  async probe(): Promise<void> {
    const { connection, prefix } = this.#deps
    await connection.ask('set', `${prefix}:probe`, 1, 'PX', PROBE_LASTS_MS)
  }

  reset(): void {
    this.#deps.connection.reset()
  }

  async #ask(counters: readonly Counter[], by: 0 | 1) {
    const { connection, clock } = this.#deps
    const names = this.#names(counters)
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const answer = await connection.run('pomboDecide', names, [clock(), by, ...counters.flatMap(toArgs)])
      const [verdict, ...places] = answer as [string, ...number[]]
      if (verdict !== 'unknown') return { isFull: verdict === 'full', states: toStates(counters, answer) }
      await this.#prime(counters.filter((_, nth) => places.includes(nth)))
    }
    throw new Unavailable('Redis does not keep what it is given')
  }

  async #prime(counters: readonly Counter[]): Promise<void> {
    const counts = await this.#deps.load(counters)
    await Promise.all(counts.map((count) => this.#put('pomboPrime', count)))
  }

  async #put(script: 'pomboPrime' | 'pomboRaise', { counter, tally }: Count): Promise<void> {
    const at = this.#deps.clock()
    const slices = current(counter.rule, tally, at).flat()
    await this.#deps.connection.run(script, this.#names([counter]), [at, ...toArgs(counter), ...slices])
  }

  #names(counters: readonly Counter[]): readonly string[] {
    const { prefix } = this.#deps
    return counters.map(({ tenantId, scope, key, version }) => `${prefix}:limit:${tenantId}:${scope}:${key}:${version}`)
  }
}

const toArgs = ({ rule: { limit, window, algorithm } }: Counter) => [limit, window, algorithm]

type State = Readonly<{ standing: Standing; wait: Millis; start: Instant }>
const NUMBERS = 4

function toStates(counters: readonly Counter[], answer: unknown): readonly State[] {
  const [, ...numbers] = answer as [string, ...number[]]
  return counters.map((counter, nth) => {
    const [used = 0, resetsIn = 0, wait = 0, start = 0] = numbers.slice(nth * NUMBERS, (nth + 1) * NUMBERS)
    return { standing: { counter, used, resetsIn: millis(resetsIn) }, wait: millis(wait), start: instant(start) }
  })
}
