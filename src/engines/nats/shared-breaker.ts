/**
 * One provider's circuit breaker, written by all processes with compare-and-swap: a refused writer reads the newer
 * state and applies its calls to that.
 *
 * One write at a time carries all calls that came in meanwhile, however fast they fail. While the broker is
 * unreachable this process goes by its own view; only a manual change is written or not made at all.
 */
import {
  afterCall,
  BREAKER_STATES,
  type Breaker,
  type BreakerCall,
  type BreakerPolicy,
  CLOSED,
  type Force,
  type Permission,
  permissionOf,
} from '../../domain/routing/breaker.ts'
import { pause } from '../../lib/pause.ts'
import { type Instant, later } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { ifLast, type JetStream } from './jetstream.ts'

export type SharedBreakerDeps = Readonly<{
  js: Pick<JetStream, 'publish' | 'get'>
  stream: string
  subject: string
  policy: BreakerPolicy
  /** Called after this process has written a change. */
  onWritten: (before: Breaker, after: Breaker, forced: boolean) => void
  closing: AbortSignal
}>

/** A call to apply; `onResult` gets whether it changed the breaker, and whether the broker stored it. */
type PendingCall = Readonly<{ call: BreakerCall; onResult?: (hadEffect: boolean, isWritten: boolean) => void }>
type StoredBreaker = Readonly<{ seq: number; breaker: Breaker }>

/** Pause between two writes, so that the processes do not crowd each other out. */
const WRITE_PAUSE_MS = 10
/** More pending calls would change nothing. */
const MAX_PENDING = 100

export class SharedBreaker {
  readonly #deps: SharedBreakerDeps
  /** The state stored on the broker. */
  #stored: StoredBreaker = { seq: 0, breaker: CLOSED }
  /** A state that another process stored while our write was in progress. */
  #newer: StoredBreaker | undefined
  /** Calls in the current write, and calls waiting for the next one. */
  #writing: readonly PendingCall[] = []
  #pending: PendingCall[] = []
  /** The stored state with all these calls applied. */
  #current: Breaker = CLOSED
  #isWriting = false

  constructor(deps: SharedBreakerDeps) {
    this.#deps = deps
  }

  get current(): Breaker {
    return this.#current
  }

  ask(at: Instant): Permission | Promise<Permission> {
    const permission = permissionOf(this.#current, at, this.#deps.policy)
    return permission.kind === 'trial' ? this.#try(at) : permission
  }

  report(call: BreakerCall): void {
    if (this.#after(this.#current, call) !== this.#current) this.#enqueue({ call })
  }

  async force(call: Force): Promise<void> {
    const isWritten = await new Promise((resolve) =>
      this.#enqueue({ call, onResult: (_, written) => resolve(written) }),
    )
    if (isWritten !== true) throw new Unavailable('NATS is unreachable: the circuit breaker was not changed')
  }

  /** A state stored by any process. */
  observe(stored: StoredBreaker): void {
    if (stored.seq <= (this.#newer ?? this.#stored).seq) return
    if (this.#writing.length > 0) this.#newer = stored
    else this.#setStored(stored)
  }

  /** Writes calls that could not be written before. */
  flush(): void {
    if (!this.#isWriting && this.#pending.length > 0) void this.#write()
  }

  /** From here on all other callers in this process are held, as if the trial were granted. */
  async #try(at: Instant): Promise<Permission> {
    const isGranted = await new Promise<boolean>((resolve) =>
      this.#enqueue({ call: { kind: 'try', at }, onResult: resolve }),
    )
    if (isGranted) return { kind: 'trial', at }
    const { policy } = this.#deps
    const permission = permissionOf(this.#current, at, policy)
    return permission.kind === 'trial' ? { kind: 'held', until: later(at, policy.again) } : permission
  }

  #enqueue(pending: PendingCall): void {
    this.#pending.push(pending)
    this.#current = this.#after(this.#current, pending.call)
    if (this.#pending.length > MAX_PENDING) this.#pending.shift()?.onResult?.(false, false)
    this.flush()
  }

  async #write(): Promise<void> {
    const { closing } = this.#deps
    this.#isWriting = true
    while (this.#pending.length > 0 && !closing.aborted) {
      if (!(await this.#writeOnce())) break
      if (this.#pending.length > 0) await pause(WRITE_PAUSE_MS, closing)
    }
    this.#isWriting = false
    this.#keepUnwritten()
  }

  /** Unwritten calls stay pending and count locally. Manual changes are dropped and their callers get an error. */
  #keepUnwritten(): void {
    const calls = this.#pending
    this.#pending = calls.filter((one) => !isForce(one))
    this.#setStored(this.#stored)
    this.#reportResults(calls, this.#fold(this.#stored.breaker, calls).effects, false)
  }

  /** False when the broker is unreachable. */
  async #writeOnce(): Promise<boolean> {
    const before = this.#stored
    this.#writing = this.#pending.splice(0)
    const { breaker, effects } = this.#fold(before.breaker, this.#writing)
    const forced = this.#writing.some(isForce)
    const written = await this.#publish(before, breaker, forced)
    const sent = this.#writing
    this.#writing = []
    if (typeof written === 'string') this.#pending.unshift(...sent)
    this.#setStored(newestOf(written, this.#newer, this.#stored))
    this.#newer = undefined
    if (written === 'conflict') return this.#reload()
    if (written === 'unreachable') return false
    this.#reportResults(sent, effects, true)
    if (written !== before) this.#deps.onWritten(before.breaker, breaker, forced)
    return true
  }

  #reportResults(calls: readonly PendingCall[], effects: readonly boolean[], isWritten: boolean): void {
    for (const [n, { onResult }] of calls.entries()) onResult?.(effects[n] ?? false, isWritten)
  }

  /** A manual change is written even if it changes nothing here: another process may have stored a different state. */
  async #publish(
    before: StoredBreaker,
    breaker: Breaker,
    forced: boolean,
  ): Promise<StoredBreaker | 'conflict' | 'unreachable'> {
    const text = encodeBreaker(breaker)
    if (!forced && text === encodeBreaker(before.breaker)) return before
    const { js, subject } = this.#deps
    try {
      const seq = await js.publish(subject, text, ifLast(before.seq))
      return seq === undefined ? 'conflict' : { seq, breaker }
    } catch {
      return 'unreachable'
    }
  }

  /** The stored state counts, even if the broker has lost it. */
  async #reload(): Promise<boolean> {
    const { js, stream, subject } = this.#deps
    try {
      const stored = await js.get(stream, { last_by_subj: subject })
      this.#setStored(
        stored === undefined ? { seq: 0, breaker: CLOSED } : { seq: stored.seq, breaker: decodeBreaker(stored.data) },
      )
      return true
    } catch {
      return false
    }
  }

  #setStored(stored: StoredBreaker): void {
    this.#stored = stored
    this.#current = this.#fold(stored.breaker, [...this.#writing, ...this.#pending]).breaker
  }

  #fold(breaker: Breaker, calls: readonly PendingCall[]): Readonly<{ breaker: Breaker; effects: readonly boolean[] }> {
    let now = breaker
    const effects = calls.map(({ call }) => {
      const before = now
      now = this.#after(before, call)
      return now !== before
    })
    return { breaker: now, effects }
  }

  #after(breaker: Breaker, call: BreakerCall): Breaker {
    return afterCall(breaker, call, this.#deps.policy)
  }
}

const isForce = ({ call }: PendingCall): boolean => call.kind === 'force'

const newestOf = (
  written: StoredBreaker | string,
  newer: StoredBreaker | undefined,
  stored: StoredBreaker,
): StoredBreaker =>
  [written, newer, stored]
    .filter((one) => typeof one === 'object')
    .reduce((one, other) => (other.seq > one.seq ? other : one))

export const encodeBreaker = (breaker: Breaker): string => JSON.stringify(breaker)

/** An unreadable state counts as lost: a closed breaker. */
export function decodeBreaker(data: Uint8Array): Breaker {
  try {
    const breaker = JSON.parse(Buffer.from(data).toString()) as Breaker
    if (!BREAKER_STATES.includes(breaker.kind)) return CLOSED
    return breaker.kind === 'closed' && breaker.failures === 0 ? CLOSED : breaker
  } catch {
    return CLOSED
  }
}
