/**
 * The limiter of the cluster: Redis decides, and while it is away PostgreSQL does, from the very request
 * that found it so. A probe in the background finds Redis well again. Before it decides anew, all that it
 * had decided is written, and what PostgreSQL has decided is forgotten there, to be loaded.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Counter, nameOf, type Standing } from '../domain/limits/limits.ts'
import type { Decision, RedisLimiter } from '../engines/redis/limiter.ts'
import type { Act, Admission, Limiter } from '../ports/limiter.ts'
import type { WriteBehind } from './write-behind.ts'

export type LimitSwitchDeps = Readonly<{
  redis: Pick<RedisLimiter, 'decide' | 'giveBack' | 'standings' | 'forget' | 'forgetAll' | 'probe' | 'reset'>
  postgres: Limiter
  behind: Pick<WriteBehind, 'note' | 'flush'>
  /** Told when Redis is found to be away. */
  onFault: (error: unknown) => void
  /** How often a Redis that is away is looked for. */
  probeMs?: number
}>

const PROBE_MS = 250
/** A connection that has not answered for so long is given up for a new one. */
const RESET_MS = 10_000
/** How long callers may be kept waiting for the way back. */
const DRAIN_MS = 500
/** Of so many counters it is remembered that PostgreSQL has decided on them. */
const MOST = 10_000
const FORGET_AT_ONCE = 1_000

export class LimitSwitch implements Limiter, AsyncDisposable {
  readonly #deps: LimitSwitchDeps
  /** Decided on by PostgreSQL since Redis went away. */
  readonly #decided = new Map<string, Counter>()
  readonly #acting = new Set<Promise<unknown>>()
  readonly #ended = new AbortController()
  #hasMore = false
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
    if (counters.length === 0) return { kind: 'admitted', value: (await act()).value, standings: [] }
    const decision = await this.#tryRedis(() => this.#deps.redis.decide(counters))
    return decision === undefined ? this.#admitInPostgres(counters, act) : this.#act(decision, act)
  }

  async standing(counter: Counter): Promise<Standing> {
    const [standing] = (await this.#tryRedis(() => this.#deps.redis.standings([counter]))) ?? []
    if (standing !== undefined) return standing
    await this.#deps.behind.flush().catch(() => undefined)
    return this.#deps.postgres.standing(counter)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort()
    await this.#probing
  }

  /** Undefined when Redis is away. */
  async #tryRedis<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
    if (this.#returning !== undefined) await this.#returning
    if (this.#path === 'postgres') return undefined
    try {
      return await ask()
    } catch (error) {
      this.#fallBack(error)
      return undefined
    }
  }

  /** What the act throws stays counted: it may have been done. */
  async #act<Value>(decision: Decision, act: Act<Value>): Promise<Admission<Value>> {
    const { standings } = decision
    if (decision.kind === 'full') return { kind: 'limited', standings, retryAfter: decision.retryAfter }
    for (const { counter, start, used } of decision.taken) this.#deps.behind.note(counter, start, 1, used)
    const { value, counts } = await act()
    return { kind: 'admitted', value, standings: counts ? standings : await this.#giveBack(decision) }
  }

  async #giveBack({ taken, standings }: Extract<Decision, { kind: 'taken' }>): Promise<readonly Standing[]> {
    const left = await this.#tryRedis(() => this.#deps.redis.giveBack(taken))
    for (const [nth, { counter, start, used }] of taken.entries()) {
      this.#deps.behind.note(counter, start, -1, left?.[nth]?.used ?? used)
    }
    return left ?? standings
  }

  async #admitInPostgres<Value>(counters: readonly Counter[], act: Act<Value>): Promise<Admission<Value>> {
    const acting = this.#writeAndAdmit(counters, act)
    const settled = acting.catch(() => undefined)
    this.#acting.add(settled)
    try {
      return await acting
    } finally {
      this.#acting.delete(settled)
      for (const counter of counters) this.#remember(counter)
      // Redis decides again already, and could not know of this one.
      if (this.#path === 'redis') await this.#tryRedis(() => this.#forgetDecided())
    }
  }

  async #writeAndAdmit<Value>(counters: readonly Counter[], act: Act<Value>): Promise<Admission<Value>> {
    const { behind, postgres } = this.#deps
    // What Redis has decided is to be known there. Where that cannot be written, nothing can be decided either.
    await behind.flush().catch(() => undefined)
    return postgres.admit(counters, act)
  }

  #remember(counter: Counter): void {
    if (this.#decided.size >= MOST) this.#hasMore = true
    else this.#decided.set(nameOf(counter), counter)
  }

  #fallBack(error: unknown): void {
    if (this.#path === 'postgres') return
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
      if (await this.#isWell()) await this.#goBack()
      else if (performance.now() - connectedAt > RESET_MS) {
        this.#deps.redis.reset()
        connectedAt = performance.now()
      }
    }
  }

  #isWell(): Promise<boolean> {
    return this.#deps.redis.probe().then(
      () => true,
      () => false,
    )
  }

  /** Nobody decides meanwhile. When it fails all stays as it is. */
  async #goBack(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#returning = promise
    try {
      await Promise.race([Promise.all(this.#acting), wait(DRAIN_MS, undefined, { ref: false })])
      // While PostgreSQL is away it stays to be written, and counts when a counter is loaded.
      await Promise.race([this.#deps.behind.flush(), wait(DRAIN_MS, undefined, { ref: false })]).catch(() => undefined)
      await this.#forgetDecided()
      this.#path = 'redis'
    } catch {
      // It is away again.
    } finally {
      this.#returning = undefined
      resolve()
    }
  }

  /** Until there is no more: somebody may finish deciding in PostgreSQL meanwhile. */
  async #forgetDecided(): Promise<void> {
    const { redis } = this.#deps
    while (this.#decided.size > 0) {
      const [hadMore, decided] = [this.#hasMore, [...this.#decided].slice(0, FORGET_AT_ONCE)]
      this.#hasMore = false
      for (const [name] of decided) this.#decided.delete(name)
      try {
        await (hadMore ? redis.forgetAll() : redis.forget(decided.map(([, counter]) => counter)))
      } catch (error) {
        for (const [name, counter] of decided) this.#decided.set(name, counter)
        this.#hasMore ||= hadMore
        throw error
      }
    }
  }
}
