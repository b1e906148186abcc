/**
 * The limiter of the cluster: Redis decides, and PostgreSQL while Redis is unreachable, starting with the request that
 * notices it. A background probe notices when Redis is back. Before Redis decides again, its earlier decisions are
 * written to PostgreSQL, and it drops the counters that PostgreSQL has decided on, to load them again.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Counter, type LimitStatus, nameOf } from '../domain/limits/limits.ts'
import type { Decision, RedisLimiter } from '../engines/redis/limiter.ts'
import type { Act, Admission, Limiter } from '../ports/limiter.ts'
import type { WriteBehind } from './write-behind.ts'

export type LimitSwitchDeps = Readonly<{
  redis: Pick<RedisLimiter, 'decide' | 'giveBack' | 'statuses' | 'forget' | 'forgetAll' | 'probe' | 'reset'>
  postgres: Limiter
  behind: Pick<WriteBehind, 'note' | 'flush'>
  /** Called before Redis is used again. If it rejects, Redis is not. */
  beforeReturn?: () => Promise<void>
  /** Called when Redis becomes unreachable. */
  onFault: (error: unknown) => void
  /** How often an unreachable Redis is probed. */
  probeMs?: number
}>

const PROBE_MS = 250
/** A connection without an answer for this long is replaced. */
const RESET_MS = 10_000
/** How long callers may wait for the switch back to Redis. */
const DRAIN_MS = 500
/** With more counters than this decided by PostgreSQL, Redis drops all of them. */
const MAX_TRACKED = 10_000
const FORGET_BATCH = 1_000

export class LimitSwitch implements Limiter, AsyncDisposable {
  readonly #deps: LimitSwitchDeps
  /** The counters PostgreSQL has decided on since Redis became unreachable. */
  readonly #decided = new Map<string, Counter>()
  readonly #acting = new Set<Promise<unknown>>()
  readonly #ended = new AbortController()
  #hasUntracked = false
  #path: 'redis' | 'postgres' = 'redis'
  #returning: Promise<void> | undefined
  #probing: Promise<void> | undefined

  constructor(deps: LimitSwitchDeps) {
    this.#deps = deps
  }

  get path(): 'redis' | 'postgres' {
    return this.#path
  }

  async admit<Value>(counters: readonly Counter[], act: Act<Value>): Promise<Admission<Value>> {
    if (counters.length === 0) return { kind: 'admitted', value: (await act()).value, limits: [] }
    const decision = await this.tryRedis(() => this.#deps.redis.decide(counters))
    return decision === undefined ? this.#admitInPostgres(counters, act) : this.#act(decision, act)
  }

  async status(counter: Counter): Promise<LimitStatus> {
    const [status] = (await this.tryRedis(() => this.#deps.redis.statuses([counter]))) ?? []
    if (status !== undefined) return status
    await this.#deps.behind.flush().catch(() => undefined)
    return this.#deps.postgres.status(counter)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort()
    await this.#probing
  }

  /** Undefined when Redis is unreachable. */
  async tryRedis<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
    if (this.#returning !== undefined) await this.#returning
    if (this.#path === 'postgres') return undefined
    try {
      return await ask()
    } catch (error) {
      this.#fallBack(error)
      return undefined
    }
  }

  /** An act that throws stays counted: it may have had its effect. */
  async #act<Value>(decision: Decision, act: Act<Value>): Promise<Admission<Value>> {
    const { statuses } = decision
    if (decision.kind === 'full') return { kind: 'limited', limits: statuses, retryAfter: decision.retryAfter }
    for (const { counter, start, used } of decision.taken) this.#deps.behind.note(counter, start, 1, used)
    const { value, counts } = await act()
    return { kind: 'admitted', value, limits: counts ? statuses : await this.#giveBack(decision) }
  }

  async #giveBack({ taken, statuses }: Extract<Decision, { kind: 'taken' }>): Promise<readonly LimitStatus[]> {
    const left = await this.tryRedis(() => this.#deps.redis.giveBack(taken))
    for (const [nth, { counter, start, used }] of taken.entries()) {
      this.#deps.behind.note(counter, start, -1, left?.[nth]?.used ?? used)
    }
    return left ?? statuses
  }

  async #admitInPostgres<Value>(counters: readonly Counter[], act: Act<Value>): Promise<Admission<Value>> {
    const acting = this.#writeAndAdmit(counters, act)
    const finished = acting.catch(() => undefined)
    this.#acting.add(finished)
    try {
      return await acting
    } finally {
      this.#acting.delete(finished)
      for (const counter of counters) this.#track(counter)
      // Redis decides again already, without knowing about this one.
      if (this.#path === 'redis') await this.tryRedis(() => this.#forgetDecided())
    }
  }

  async #writeAndAdmit<Value>(counters: readonly Counter[], act: Act<Value>): Promise<Admission<Value>> {
    const { behind, postgres } = this.#deps
    // PostgreSQL must know what Redis has decided. If that cannot be written, PostgreSQL cannot decide either.
    await behind.flush().catch(() => undefined)
    return postgres.admit(counters, act)
  }

  #track(counter: Counter): void {
    if (this.#decided.size >= MAX_TRACKED) this.#hasUntracked = true
    else this.#decided.set(nameOf(counter), counter)
  }

  #fallBack(error: unknown): void {
    if (this.#path === 'postgres' || this.#ended.signal.aborted) return
    this.#path = 'postgres'
    this.#deps.onFault(error)
    this.#probing = this.#probe()
  }

  async #probe(): Promise<void> {
    const { probeMs = PROBE_MS } = this.#deps
    const { signal } = this.#ended
    let connectedAt = performance.now()
    while (this.#path === 'postgres') {
      await wait(probeMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      if (await this.#isReachable()) await this.#switchBack()
      else if (performance.now() - connectedAt > RESET_MS) {
        this.#deps.redis.reset()
        connectedAt = performance.now()
      }
    }
  }

  #isReachable(): Promise<boolean> {
    return this.#deps.redis.probe().then(
      () => true,
      () => false,
    )
  }

  /** No one decides meanwhile. If it fails, PostgreSQL goes on deciding. */
  async #switchBack(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#returning = promise
    try {
      await Promise.race([Promise.all(this.#acting), wait(DRAIN_MS, undefined, { ref: false })])
      // While PostgreSQL is unreachable they stay in memory, and count when a counter is loaded.
      await Promise.race([this.#deps.behind.flush(), wait(DRAIN_MS, undefined, { ref: false })]).catch(() => undefined)
      await this.#forgetDecided()
      await this.#deps.beforeReturn?.()
      this.#path = 'redis'
    } catch {
      // Redis is unreachable again.
    } finally {
      this.#returning = undefined
      resolve()
    }
  }

  /** Repeats until none is left: a decision in PostgreSQL may finish meanwhile. */
  async #forgetDecided(): Promise<void> {
    const { redis } = this.#deps
    while (this.#decided.size > 0) {
      const [hadUntracked, decided] = [this.#hasUntracked, [...this.#decided].slice(0, FORGET_BATCH)]
      this.#hasUntracked = false
      for (const [name] of decided) this.#decided.delete(name)
      try {
        await (hadUntracked ? redis.forgetAll() : redis.forget(decided.map(([, counter]) => counter)))
      } catch (error) {
        for (const [name, counter] of decided) this.#decided.set(name, counter)
        this.#hasUntracked ||= hadUntracked
        throw error
      }
    }
  }
}
