/**
 * Breakers that all processes share, in a small stream that keeps the last word on each provider. Every
 * process follows it, so that asking needs nobody else. When it is lost, all breakers are closed.
 */
import { randomBytes } from 'node:crypto'
import type { ProviderName } from '../../domain/ids.ts'
import {
  Answered,
  BREAKER,
  type Breaker,
  type BreakerPolicy,
  type Force,
  type Permission,
  type Permit,
  type Verdict,
} from '../../domain/routing/breaker.ts'
import type { Instant, Millis } from '../../lib/time.ts'
import type { Breakers, BreakerTransition } from '../../ports/breakers.ts'
import { Intake } from './intake.ts'
import type { JetStream } from './jetstream.ts'
import { pauseUntil } from './pause.ts'
import { decodeBreaker, SharedBreaker } from './shared-breaker.ts'
import { nanos } from './streams.ts'
import { type Names, parseBreaker } from './subjects.ts'

export type BreakersDeps = Readonly<{ js: JetStream; names: Names }>

const AGAIN_MS = 1_000
const BATCH = 64
/** A consumer whose follower is gone goes too. */
const ABANDONED_MS = 60_000

/** Knows what was written before it was opened. */
export async function openNatsBreakers(deps: BreakersDeps, policy = BREAKER): Promise<Breakers & AsyncDisposable> {
  const breakers = new NatsBreakers(deps, policy)
  await breakers.load()
  breakers.follow()
  return breakers
}

class NatsBreakers implements Breakers, AsyncDisposable {
  readonly #js: JetStream
  readonly #names: Names
  readonly #policy: BreakerPolicy
  readonly #shared = new Map<ProviderName, SharedBreaker>()
  readonly #listeners = new Set<(turn: BreakerTransition) => void>()
  readonly #answered = new Answered()
  readonly #stop = new AbortController()
  #following: Promise<void> = Promise.resolve()

  constructor({ js, names }: BreakersDeps, policy: BreakerPolicy) {
    this.#js = js
    this.#names = names
    this.#policy = policy
  }

  ask(provider: ProviderName, at: Instant): Permission | Promise<Permission> {
    return this.#of(provider).ask(at)
  }

  report(provider: ProviderName, pass: Permit, verdict: Verdict, at: Instant, begunAt = at): void {
    if (this.#answered.hasOvertaken(provider, pass, verdict, begunAt)) return
    this.#of(provider).tell({ kind: 'tell', pass, verdict, at })
  }

  force(provider: ProviderName, to: Force['to'], at: Instant, pause?: Millis): Promise<void> {
    return this.#of(provider).force({ kind: 'force', to, at, ...(pause === undefined ? {} : { pause }) })
  }

  states(): ReadonlyMap<ProviderName, Breaker> {
    return new Map(this.#shared.entries().map(([provider, { now }]) => [provider, now]))
  }

  watch(listener: (turn: BreakerTransition) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async load(): Promise<void> {
    for (let seq = 1; ; seq += 1) {
      const kept = await this.#js.get(this.#names.breakers, { seq, next_by_subj: this.#names.breaker('*') })
      if (kept === undefined) return
      this.#learn(kept)
      seq = kept.seq
    }
  }

  follow(): void {
    this.#following = this.#follow(this.#stop.signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#following
  }

  /** From the last word on each provider, and again from there wherever it breaks off. */
  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Nobody misses what is not heard meanwhile: whoever writes is told what he has missed.
      await this.#followOnce(signal).catch(() => undefined)
      await pauseUntil(signal, AGAIN_MS)
    }
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    const { breakers: stream } = this.#names
    const name = `follower_${randomBytes(8).toString('hex')}`
    const config = {
      name,
      ack_policy: 'none',
      deliver_policy: 'last_per_subject',
      filter_subject: this.#names.breaker('*'),
      inactive_threshold: nanos(ABANDONED_MS),
      mem_storage: true,
      num_replicas: 1,
    }
    await this.#js.api(`CONSUMER.CREATE.${stream}.${name}`, { stream_name: stream, config })
    for (const shared of this.#shared.values()) shared.catchUp()
    await using intake = new Intake(this.#js.connection, stream, name)
    for (let turn = 1; ; ) {
      const deliveries = await intake.next(BATCH, signal)
      for (const delivery of deliveries) this.#learn(delivery)
      turn += deliveries.length
      // A turn that is not the next means that something was lost on the way.
      if (deliveries.length === 0 || deliveries.at(-1)?.turn !== turn - 1) break
    }
    await this.#js.api(`CONSUMER.DELETE.${stream}.${name}`).catch(() => undefined)
  }

  #learn({ subject, seq, data }: Readonly<{ subject: string; seq: number; data: Uint8Array }>): void {
    this.#of(parseBreaker(subject)).learn({ seq, breaker: decodeBreaker(data) })
  }

  #of(provider: ProviderName): SharedBreaker {
    const known = this.#shared.get(provider)
    if (known !== undefined) return known
    const shared = new SharedBreaker({
      js: this.#js,
      stream: this.#names.breakers,
      subject: this.#names.breaker(provider),
      policy: this.#policy,
      onWritten: (before, after, forced) => this.#turned(provider, before, after, forced),
      closing: this.#stop.signal,
    })
    this.#shared.set(provider, shared)
    return shared
  }

  #turned(provider: ProviderName, { kind: from }: Breaker, { kind: to, failures }: Breaker, forced: boolean): void {
    if (from !== to) for (const listener of this.#listeners) listener({ provider, from, to, failures, forced })
  }
}
