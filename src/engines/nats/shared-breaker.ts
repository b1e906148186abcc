/**
 * One provider's breaker, as all processes write it: whoever changes it names the value he has seen, and
 * is refused if it is another by now. Then he looks at the newer one, and does to that what he wanted to do.
 *
 * One write at a time, with all that was wanted meanwhile: calls may fail as fast as they like. While the
 * broker is away this process goes by its own view; only what a person wants is written or not done at all.
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
import { type Instant, later } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { ifLast, type JetStream } from './jetstream.ts'
import { pauseUntil } from './pause.ts'

export type SharedBreakerDeps = Readonly<{
  js: Pick<JetStream, 'publish' | 'get'>
  stream: string
  subject: string
  policy: BreakerPolicy
  /** What this process has written, and over what. */
  onWritten: (before: Breaker, after: Breaker, forced: boolean) => void
  closing: AbortSignal
}>

/** What somebody asked or told; `heard` gets whether it changed anything, and whether the broker knows. */
type Wanted = Readonly<{ call: BreakerCall; heard?: (hadEffect: boolean, isWritten: boolean) => void }>
type Kept = Readonly<{ seq: number; breaker: Breaker }>

/** Between two writes, so that the processes do not crowd out one another. */
const REST_MS = 10
/** To know more of what was wanted would change nothing. */
const REMEMBERED = 100

export class SharedBreaker {
  readonly #deps: SharedBreakerDeps
  /** As it is on the broker. */
  #kept: Kept = { seq: 0, breaker: CLOSED }
  /** What somebody wrote while we were writing ourselves. */
  #news: Kept | undefined
  /** What is being written, and what is to be written after it. */
  #sent: readonly Wanted[] = []
  #wanted: Wanted[] = []
  /** All of it together. */
  #now: Breaker = CLOSED
  #isWriting = false

  constructor(deps: SharedBreakerDeps) {
    this.#deps = deps
  }

  get now(): Breaker {
    return this.#now
  }

  ask(at: Instant): Permission | Promise<Permission> {
    const leave = permissionOf(this.#now, at, this.#deps.policy)
    return leave.kind === 'trial' ? this.#try(at) : leave
  }

  tell(call: BreakerCall): void {
    if (this.#after(this.#now, call) !== this.#now) this.#want({ call })
  }

  async force(call: Force): Promise<void> {
    const isWritten = await new Promise((heard) => this.#want({ call, heard: (_, written) => heard(written) }))
    if (isWritten !== true) throw new Unavailable('the broker cannot be told what to make of a breaker')
  }

  /** What some process has written. */
  learn(kept: Kept): void {
    if (kept.seq <= (this.#news ?? this.#kept).seq) return
    if (this.#sent.length > 0) this.#news = kept
    else this.#see(kept)
  }

  /** Writes what could not be written before. */
  catchUp(): void {
    if (!this.#isWriting && this.#wanted.length > 0) void this.#write()
  }

  /** From now on all others here are held, as if the trial were granted already. */
  async #try(at: Instant): Promise<Permission> {
    const isGranted = await new Promise<boolean>((heard) => this.#want({ call: { kind: 'try', at }, heard }))
    if (isGranted) return { kind: 'trial', at }
    const { policy } = this.#deps
    const leave = permissionOf(this.#now, at, policy)
    return leave.kind === 'trial' ? { kind: 'held', until: later(at, policy.again) } : leave
  }

  #want(wanted: Wanted): void {
    this.#wanted.push(wanted)
    this.#now = this.#after(this.#now, wanted.call)
    if (this.#wanted.length > REMEMBERED) this.#wanted.shift()?.heard?.(false, false)
    this.catchUp()
  }

  async #write(): Promise<void> {
    const { closing } = this.#deps
    this.#isWriting = true
    while (this.#wanted.length > 0 && !closing.aborted) {
      if (!(await this.#writeOnce())) break
      if (this.#wanted.length > 0) await pauseUntil(closing, REST_MS)
    }
    this.#isWriting = false
    this.#putOff()
  }

  /** What cannot be written stays wanted, and counts here already; a person is told, and may want something else by then. */
  #putOff(): void {
    const wanted = this.#wanted
    this.#wanted = wanted.filter((one) => !isForce(one))
    this.#see(this.#kept)
    this.#answer(wanted, this.#fold(this.#kept.breaker, wanted).effects, false)
  }

  /** False when the broker cannot be told. */
  async #writeOnce(): Promise<boolean> {
    const before = this.#kept
    this.#sent = this.#wanted.splice(0)
    const { breaker, effects } = this.#fold(before.breaker, this.#sent)
    const forced = this.#sent.some(isForce)
    const written = await this.#publish(before, breaker, forced)
    const sent = this.#sent
    this.#sent = []
    if (typeof written === 'string') this.#wanted.unshift(...sent)
    this.#see(newestOf(written, this.#news, this.#kept))
    this.#news = undefined
    if (written === 'overtaken') return this.#look()
    if (written === 'away') return false
    this.#answer(sent, effects, true)
    if (written !== before) this.#deps.onWritten(before.breaker, breaker, forced)
    return true
  }

  #answer(wanted: readonly Wanted[], effects: readonly boolean[], isWritten: boolean): void {
    for (const [n, { heard }] of wanted.entries()) heard?.(effects[n] ?? false, isWritten)
  }

  /** What a person wants is written also where it seems to be so already: others may have written what is not known here. */
  async #publish(before: Kept, breaker: Breaker, forced: boolean): Promise<Kept | 'overtaken' | 'away'> {
    const text = encodeBreaker(breaker)
    if (!forced && text === encodeBreaker(before.breaker)) return before
    const { js, subject } = this.#deps
    try {
      const seq = await js.publish(subject, text, ifLast(before.seq))
      return seq === undefined ? 'overtaken' : { seq, breaker }
    } catch {
      return 'away'
    }
  }

  /** What the broker says counts, also where it has forgotten what it knew. */
  async #look(): Promise<boolean> {
    const { js, stream, subject } = this.#deps
    try {
      const kept = await js.get(stream, { last_by_subj: subject })
      this.#see(kept === undefined ? { seq: 0, breaker: CLOSED } : { seq: kept.seq, breaker: decodeBreaker(kept.data) })
      return true
    } catch {
      return false
    }
  }

  #see(kept: Kept): void {
    this.#kept = kept
    this.#now = this.#fold(kept.breaker, [...this.#sent, ...this.#wanted]).breaker
  }

  #fold(breaker: Breaker, wanted: readonly Wanted[]): Readonly<{ breaker: Breaker; effects: readonly boolean[] }> {
    let now = breaker
    const effects = wanted.map(({ call }) => {
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

const isForce = ({ call }: Wanted): boolean => call.kind === 'force'

const newestOf = (written: Kept | string, news: Kept | undefined, kept: Kept): Kept =>
  [written, news, kept]
    .filter((one) => typeof one === 'object')
    .reduce((one, other) => (other.seq > one.seq ? other : one))

export const encodeBreaker = (breaker: Breaker): string => JSON.stringify(breaker)

/** What cannot be read is as good as lost, and that is a closed breaker. */
export function decodeBreaker(data: Uint8Array): Breaker {
  try {
    const breaker = JSON.parse(Buffer.from(data).toString()) as Breaker
    if (!BREAKER_STATES.includes(breaker.kind)) return CLOSED
    return breaker.kind === 'closed' && breaker.failures === 0 ? CLOSED : breaker
  } catch {
    return CLOSED
  }
}
