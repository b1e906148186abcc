/**
 * A bind that reconnects: when its session ends, it starts another after a backoff, until it is disposed. The backoff
 * doubles and is jittered, so that a recovering SMSC is not overrun. If the SMSC rejects our credentials it starts at a
 * minute, because only people can fix that.
 */
import type { Dice } from '../../ports/world.ts'
import { toSmppError } from './errors.ts'
import { type Ending, Session, type SessionDeps } from './session.ts'
import type { Submission } from './window.ts'

export type BindState = Ending | Readonly<{ kind: 'up' }>

type Backoff = Readonly<{ firstMs: number; mostMs: number }>

export type BindDeps = Omit<SessionDeps, 'onUp' | 'onEnd'> &
  Readonly<{
    window: number
    backoff: Readonly<Record<Ending['kind'], Backoff>>
    dice: Dice
    onChange: (state: BindState) => void
  }>

export class Bind implements AsyncDisposable {
  readonly #deps: BindDeps
  #session: Session
  #reconnect: NodeJS.Timeout | undefined
  /** Sessions that failed since the last successful bind. */
  #failures = 0
  #isDisposed = false

  constructor(deps: BindDeps) {
    this.#deps = deps
    this.#session = this.#open()
  }

  get isUp(): boolean {
    return this.#session.isUp
  }

  /** How many parts wait for an answer. */
  get busy(): number {
    return this.#session.busy
  }

  get hasRoom(): boolean {
    return this.isUp && this.busy < this.#deps.window
  }

  /** Call it only while it has room. */
  submit(submission: Submission): void {
    this.#session.submit(submission)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    clearTimeout(this.#reconnect)
    await this.#session.close()
  }

  #open(): Session {
    return new Session({
      ...this.#deps,
      onUp: () => {
        this.#failures = 0
        this.#deps.onChange({ kind: 'up' })
        this.#deps.onCapacity()
      },
      onEnd: (ending) => {
        if (this.#isDisposed) return
        this.#reconnect = setTimeout(() => {
          this.#session = this.#open()
        }, this.#backoffAfter(ending))
        this.#deps.onChange(ending)
      },
    })
  }

  #backoffAfter(ending: Ending): number {
    const isRejected = ending.kind === 'refused' && toSmppError(ending.status)?.kind === 'rejected'
    const { firstMs, mostMs } = this.#deps.backoff[isRejected ? 'refused' : 'lost']
    const waitMs = Math.min(mostMs, firstMs * 2 ** this.#failures)
    this.#failures += 1
    return waitMs * (0.5 + this.#deps.dice() / 2)
  }
}
