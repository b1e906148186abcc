/**
 * A bind that is kept: whenever its session ends, another is begun after a while, until it is disposed. The
 * waits double and scatter, so that an SMSC that comes back is not run over; one that does not let us in has
 * minutes, because only people can change that.
 */

import type { Dice } from '../../ports/world.ts'
import { toSmppError } from './errors.ts'
import { type Ending, Session, type SessionDeps } from './session.ts'
import type { Submission } from './window.ts'

export type Condition = Ending | Readonly<{ kind: 'up' }>

/** The first wait, and the longest. */
type Waits = Readonly<{ firstMs: number; mostMs: number }>

export type BindDeps = Omit<SessionDeps, 'up' | 'ended'> &
  Readonly<{
    window: number
    waits: Readonly<Record<Ending['kind'], Waits>>
    dice: Dice
    changed: (condition: Condition) => void
  }>

export class Bind implements AsyncDisposable {
  readonly #deps: BindDeps
  #session: Session
  #again: NodeJS.Timeout | undefined
  /** Sessions that came to nothing since the last that did. */
  #failures = 0
  #isDisposed = false

  constructor(deps: BindDeps) {
    this.#deps = deps
    this.#session = this.#begin()
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

  /** Only while it has room. */
  submit(submission: Submission): void {
    this.#session.submit(submission)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    clearTimeout(this.#again)
    await this.#session.leave()
  }

  #begin(): Session {
    return new Session({
      ...this.#deps,
      up: () => {
        this.#failures = 0
        this.#deps.changed({ kind: 'up' })
        this.#deps.hasRoom()
      },
      ended: (ending) => {
        if (this.#isDisposed) return
        this.#again = setTimeout(() => {
          this.#session = this.#begin()
        }, this.#waitAfter(ending))
        this.#deps.changed(ending)
      },
    })
  }

  #waitAfter(ending: Ending): number {
    const isHopeless = ending.kind === 'refused' && toSmppError(ending.status)?.kind === 'rejected'
    const { firstMs, mostMs } = this.#deps.waits[isHopeless ? 'refused' : 'lost']
    const waitMs = Math.min(mostMs, firstMs * 2 ** this.#failures)
    this.#failures += 1
    return waitMs * (0.5 + this.#deps.dice() / 2)
  }
}
