/**
 * The connections to a mail server, and the queue of mails that wait for one. Connections are opened on demand, reused,
 * and closed when they are idle.
 *
 * The server may close an idle connection just as we start to use it. If it has received nothing of the mail, another
 * connection is tried; in every other case the mail ends with that result.
 */
import { PacedQueue } from '../../lib/paced-queue.ts'
import type { Connections } from '../../ports/provider.ts'
import { type Result, unsent } from './outcome.ts'
import type { ComposedMail } from './outgoing-mail.ts'
import { openSession, type Results, Session, type SessionDeps } from './session.ts'

export type PoolDeps = SessionDeps &
  Readonly<{
    connections: number
    mailsPerConnection: number
    maxPerSecond?: number
    idleMs: number
    /** How long mails in flight may take when the pool closes. */
    drainMs: number
  }>

type Idle = Readonly<{ session: Session; timer: NodeJS.Timeout }>

export class Pool implements AsyncDisposable {
  readonly #deps: PoolDeps
  readonly #queue: PacedQueue
  /** The most recently used comes last and is used first. */
  readonly #idle: Idle[] = []
  readonly #open = new Set<Session>()
  readonly #inFlight = new Set<Promise<unknown>>()
  /** Connections that are in use or being opened. */
  #busy = 0
  #isClosing = false

  constructor(deps: PoolDeps) {
    this.#deps = deps
    this.#queue = new PacedQueue({
      unitsPerSecond: deps.maxPerSecond,
      hasCapacity: () => this.#busy < deps.connections,
    })
  }

  /** Those that are in use or idle, not the configured maximum. */
  get connections(): Connections {
    return { wanted: this.#busy + this.#idle.length, up: this.#open.size }
  }

  get hasRoom(): boolean {
    return this.#queue.hasRoom
  }

  /** Sends a mail, at most once. */
  async send(mail: ComposedMail, signal: AbortSignal): Promise<Results> {
    if (this.#isClosing) return only(unsent('NOT_CONNECTED'))
    if (signal.aborted) return only(unsent('ABORTED'))
    const onStart = (): void => {
      this.#busy += 1
    }
    const isStarted = await this.#queue.take(signal, { onStart })
    if (!isStarted) return only(unsent(this.#isClosing ? 'NOT_CONNECTED' : 'POOL_TIMEOUT'))
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    this.#inFlight.add(finished)
    void finished.then(() => {
      this.#inFlight.delete(finished)
      this.#busy -= 1
      this.#queue.pump()
    })
    return this.#sendOverConnection(mail, signal, finish)
  }

  /** The server reported that we send too fast. */
  throttle(): void {
    this.#queue.throttle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    this.#queue[Symbol.dispose]()
    const timer = setTimeout(() => {
      for (const session of this.#open) session.close()
    }, this.#deps.drainMs)
    await Promise.all(this.#inFlight)
    clearTimeout(timer)
    await Promise.all([...this.#idle].map(({ session }) => this.#quit(session)))
  }

  /** Uses an idle connection, or opens one. */
  async #sendOverConnection(mail: ComposedMail, signal: AbortSignal, finish: () => void): Promise<Results> {
    for (;;) {
      const idle = this.#takeIdle()
      const session = idle ?? (await openSession(this.#deps, signal))
      if (!(session instanceof Session)) {
        finish()
        return only(session)
      }
      if (idle === undefined) this.#add(session)
      const results = session.send(mail, signal)
      const result = await results.byDeadline
      if (idle === undefined || !wasClosed(result) || signal.aborted) {
        void this.#putBack(session, results).then(finish)
        return results
      }
      session.close()
    }
  }

  #add(session: Session): void {
    this.#open.add(session)
    session.onEnd(() => {
      this.#open.delete(session)
      this.#removeIdle(session)
    })
  }

  #takeIdle(): Session | undefined {
    const idle = this.#idle.pop()
    clearTimeout(idle?.timer)
    return idle?.session
  }

  #removeIdle(session: Session): void {
    const index = this.#idle.findIndex((idle) => idle.session === session)
    if (index >= 0) clearTimeout(this.#idle.splice(index, 1)[0]?.timer)
  }

  /** Makes the connection idle once the mail is finished, or closes it after its last mail. */
  async #putBack(session: Session, { final }: Results): Promise<void> {
    const { kind } = await final
    if (kind !== 'accepted') await session.reset()
    if (!session.isUp) return
    if (this.#isClosing || session.mails >= this.#deps.mailsPerConnection) {
      await session.quit()
      return
    }
    const timer = setTimeout(() => void this.#quit(session), this.#deps.idleMs)
    this.#idle.push({ session, timer })
  }

  async #quit(session: Session): Promise<void> {
    this.#removeIdle(session)
    await session.quit()
  }
}

const only = (result: Result): Results => ({ byDeadline: Promise.resolve(result), final: Promise.resolve(result) })

/** The server had closed the connection before it received anything of the mail. */
const wasClosed = (result: Result): boolean =>
  (result.kind === 'lost' && result.isUnsent) ||
  (result.kind === 'refused' && result.reply.status === 421 && result.command !== 'data')
