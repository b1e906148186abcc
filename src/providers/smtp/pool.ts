/**
 * The connections to a mail server, and the mails that wait for one and for their turn in the pace. Connections are
 * opened when they are needed, used again, and closed when nothing has needed them for a while.
 *
 * A kept connection may have been closed by the server in the very moment a mail is given to it. Only if nothing of
 * the mail was, another connection is taken; in all other cases the mail ends with what is known of it.
 */
import { Pace } from '../../lib/pace.ts'
import { type Instant, instant, later, type Millis, seconds } from '../../lib/time.ts'
import type { Connections } from '../../ports/provider.ts'
import { type Result, unsent } from './outcome.ts'
import type { Mailing } from './parcel.ts'
import { openSession, type Sending, Session, type SessionDeps } from './session.ts'

export type PoolDeps = SessionDeps &
  Readonly<{
    connections: number
    mailsPerConnection: number
    maxPerSecond?: number
    idleMs: number
    /** How long mails under way may take once it is to close. */
    drainMs: number
  }>

/** A mail that waits for its turn. */
type Waiting = Readonly<{ since: Instant; go: (turn: boolean) => void }>

/** A connection that has nothing to do, and what will close it. */
type Idle = Readonly<{ session: Session; timer: NodeJS.Timeout }>

/** Much shorter than a provider may take to answer. */
const SOON = seconds(2)

export class Pool implements AsyncDisposable {
  readonly #deps: PoolDeps
  readonly #pace: Pace
  readonly #waiting: Waiting[] = []
  /** The one used last comes last, and is used first. */
  readonly #idle: Idle[] = []
  readonly #open = new Set<Session>()
  readonly #underWay = new Set<Promise<unknown>>()
  /** How many connections are in use, or about to be. */
  #busy = 0
  #timer: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(deps: PoolDeps) {
    this.#deps = deps
    this.#pace = new Pace(deps.maxPerSecond)
  }

  /** Those in use and those kept; how many it may have is another matter. */
  get connections(): Connections {
    return { wanted: this.#busy + this.#idle.length, up: this.#open.size }
  }

  /** Whether a mail would find its turn soon: the first in line has not waited for long. */
  get hasRoom(): boolean {
    const [first] = this.#waiting
    return first === undefined || now() < later(first.since, SOON)
  }

  /** Hands over a mail, once. */
  async deliver(mailing: Mailing, signal: AbortSignal): Promise<Sending> {
    if (this.#isClosing) return known(unsent('NOT_CONNECTED'))
    if (signal.aborted) return known(unsent('ABORTED'))
    if (!(await this.#turn(signal))) return known(unsent(this.#isClosing ? 'NOT_CONNECTED' : 'NO_TURN'))
    const { promise: over, resolve: leavePlace } = Promise.withResolvers<void>()
    this.#underWay.add(over)
    void over.then(() => {
      this.#underWay.delete(over)
      this.#busy -= 1
      this.#pump()
    })
    return this.#carry(mailing, signal, leavePlace)
  }

  /** The server found it too fast. */
  slowDown(): void {
    this.#pace.throttle(now())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#timer)
    for (const { go } of this.#waiting.splice(0)) go(false)
    const patience = setTimeout(() => {
      for (const session of this.#open) session.cut()
    }, this.#deps.drainMs)
    await Promise.all(this.#underWay)
    clearTimeout(patience)
    await Promise.all([...this.#idle].map(({ session }) => this.#dismiss(session)))
  }

  /** Over a connection that is kept, or else over a new one. */
  async #carry(mailing: Mailing, signal: AbortSignal, over: () => void): Promise<Sending> {
    for (;;) {
      const kept = this.#takeKept()
      const session = kept ?? (await openSession(this.#deps, signal))
      if (!(session instanceof Session)) {
        over()
        return known(session)
      }
      if (kept === undefined) this.#note(session)
      const sending = session.send(mailing, signal)
      const result = await sending.inTime
      if (kept === undefined || !isStale(result) || signal.aborted) {
        void this.#putBack(session, sending).then(over)
        return sending
      }
      session.cut()
    }
  }

  #note(session: Session): void {
    this.#open.add(session)
    session.onEnd(() => {
      this.#open.delete(session)
      this.#takeOut(session)
    })
  }

  #takeKept(): Session | undefined {
    const kept = this.#idle.pop()
    clearTimeout(kept?.timer)
    return kept?.session
  }

  #takeOut(session: Session): void {
    const place = this.#idle.findIndex((idle) => idle.session === session)
    if (place >= 0) clearTimeout(this.#idle.splice(place, 1)[0]?.timer)
  }

  /** For the next mail, once this one is over; a session that has had enough of them takes leave. */
  async #putBack(session: Session, { atLast }: Sending): Promise<void> {
    const { kind } = await atLast
    if (kind !== 'taken') await session.reset()
    if (!session.isUp) return
    if (this.#isClosing || session.mails >= this.#deps.mailsPerConnection) {
      await session.leave()
      return
    }
    const timer = setTimeout(() => void this.#dismiss(session), this.#deps.idleMs)
    this.#idle.push({ session, timer })
  }

  async #dismiss(session: Session): Promise<void> {
    this.#takeOut(session)
    await session.leave()
  }

  /** Whether its turn came before the call was given up. */
  #turn(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const giveUp = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      resolve(false)
    }
    const go = (turn: boolean): void => {
      signal.removeEventListener('abort', giveUp)
      resolve(turn)
    }
    const waiting: Waiting = { since: now(), go }
    signal.addEventListener('abort', giveUp, { once: true })
    this.#waiting.push(waiting)
    this.#pump()
    return promise
  }

  /** Lets go whatever can. */
  #pump(): void {
    while (this.#waiting.length > 0 && this.#busy < this.#deps.connections) {
      const wait = this.#pace.admit(now())
      if (wait > 0) {
        this.#pumpAfter(wait)
        return
      }
      this.#busy += 1
      this.#waiting.shift()?.go(true)
    }
  }

  #pumpAfter(wait: Millis): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#pump()
    }, wait)
  }
}

const known = (result: Result): Sending => ({ inTime: Promise.resolve(result), atLast: Promise.resolve(result) })

/** The server had closed the connection before it was given anything. */
const isStale = (result: Result): boolean =>
  (result.kind === 'lost' && result.hasNothing) ||
  (result.kind === 'refused' && result.reply.status === 421 && result.command !== 'data')

/** Of a clock that nobody sets. */
const now = () => instant(performance.now())
