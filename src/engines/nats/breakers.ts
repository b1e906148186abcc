/**
 * Circuit breakers shared by all processes: a small stream keeps the newest state of each provider's breaker, and
 * every process follows it, so asking for permission needs no round trip. If the stream is lost, all breakers are
 * closed.
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
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { pause } from '../../lib/pause.ts'
import type { Instant, Millis } from '../../lib/time.ts'
import type { Breakers, BreakerTransition } from '../../ports/breakers.ts'
import { Intake } from './intake.ts'
import type { JetStream } from './jetstream.ts'
import { decodeBreaker, SharedBreaker } from './shared-breaker.ts'
import { nanos } from './streams.ts'
import { type Names, parseBreaker } from './subjects.ts'

export type BreakersDeps = Readonly<{ js: JetStream; names: Names }>

const AGAIN_MS = 1_000
const BATCH = 64
/** The broker removes the consumer of a process that is gone. */
const ABANDONED_MS = 60_000

/** Loads the stored states before it resolves. */
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
  readonly #listeners = new Set<(transition: BreakerTransition) => void>()
  readonly #answeredCalls = new Answered()
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
    if (this.#answeredCalls.hasOvertaken(provider, pass, verdict, begunAt)) return
    this.#of(provider).report({ kind: 'result', permit: pass, verdict, at })
  }

  force(provider: ProviderName, to: Force['to'], at: Instant, pause?: Millis): Promise<void> {
    return this.#of(provider).force(omitUndefined({ kind: 'force' as const, to, at, pause }))
  }

  states(): ReadonlyMap<ProviderName, Breaker> {
    return new Map(this.#shared.entries().map(([provider, { current }]) => [provider, current]))
  }

  watch(listener: (transition: BreakerTransition) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async load(): Promise<void> {
    for (let seq = 1; ; seq += 1) {
      const stored = await this.#js.get(this.#names.breakers, { seq, next_by_subj: this.#names.breaker('*') })
      if (stored === undefined) return
      this.#observe(stored)
      seq = stored.seq
    }
  }

  follow(): void {
    this.#following = this.#follow(this.#stop.signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#following
  }

  /** Starts with the newest state of each provider, and starts again whenever the consumer breaks off. */
  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // A gap is harmless: a writer that missed a change is refused and reads the newest state.
      await this.#followOnce(signal).catch(() => undefined)
      await pause(AGAIN_MS, signal)
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
    for (const shared of this.#shared.values()) shared.flush()
    await using intake = new Intake(this.#js.connection, stream, name)
    for (let next = 1; ; ) {
      const deliveries = await intake.next(BATCH, signal)
      for (const delivery of deliveries) this.#observe(delivery)
      next += deliveries.length
      // A gap in the consumer sequence means that a delivery was lost.
      if (deliveries.length === 0 || deliveries.at(-1)?.consumerSeq !== next - 1) break
    }
    await this.#js.api(`CONSUMER.DELETE.${stream}.${name}`).catch(() => undefined)
  }

  #observe({ subject, seq, data }: Readonly<{ subject: string; seq: number; data: Uint8Array }>): void {
    this.#of(parseBreaker(subject)).observe({ seq, breaker: decodeBreaker(data) })
  }

  #of(provider: ProviderName): SharedBreaker {
    const existing = this.#shared.get(provider)
    if (existing !== undefined) return existing
    const shared = new SharedBreaker({
      js: this.#js,
      stream: this.#names.breakers,
      subject: this.#names.breaker(provider),
      policy: this.#policy,
      onWritten: (before, after, forced) => this.#notify(provider, before, after, forced),
      closing: this.#stop.signal,
    })
    this.#shared.set(provider, shared)
    return shared
  }

  #notify(provider: ProviderName, { kind: from }: Breaker, { kind: to, failures }: Breaker, forced: boolean): void {
    if (from !== to) for (const listener of this.#listeners) listener({ provider, from, to, failures, forced })
  }
}
