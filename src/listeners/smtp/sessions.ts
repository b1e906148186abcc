/** What the listener knows of its connections besides what the library does, and how many each address has. */
import type { SMTPServerSession } from 'smtp-server'
import type { AttemptRef } from '../../domain/ids.ts'
import { toClientKey } from '../../flows/access/sign-in-throttle.ts'
import { LOOPBACK } from '../../lib/loopback.ts'
import type { SignedIn } from './sign-in.ts'

export type SessionState = {
  signedIn?: SignedIn
  /** A mail is arriving or being stored. */
  isBusy: boolean
  refusals: number
  isCounted: boolean
  /** The attempts whose bounce addresses are among the recipients of the mail. */
  readonly bounces: Map<string, AttemptRef>
}

/** Whether nobody on the way can read a password: over TLS, or on this machine. */
export const isPrivate = ({ secure, remoteAddress }: Pick<SMTPServerSession, 'secure' | 'remoteAddress'>): boolean =>
  secure || LOOPBACK.test(remoteAddress)

export class Sessions {
  readonly #states = new WeakMap<SMTPServerSession, SessionState>()
  readonly #perAddress = new Map<string, number>()
  readonly #most: number

  constructor(mostPerAddress: number) {
    this.#most = mostPerAddress
  }

  of(session: SMTPServerSession): SessionState {
    const known = this.#states.get(session)
    if (known !== undefined) return known
    const state: SessionState = { isBusy: false, refusals: 0, isCounted: false, bounces: new Map() }
    this.#states.set(session, state)
    return state
  }

  /** False if the address has too many already. */
  open(session: SMTPServerSession): boolean {
    const address = toClientKey(session.remoteAddress)
    const count = (this.#perAddress.get(address) ?? 0) + 1
    if (count > this.#most) return false
    this.#perAddress.set(address, count)
    this.of(session).isCounted = true
    return true
  }

  close(session: SMTPServerSession): void {
    if (!this.of(session).isCounted) return
    const address = toClientKey(session.remoteAddress)
    const left = (this.#perAddress.get(address) ?? 1) - 1
    if (left === 0) this.#perAddress.delete(address)
    else this.#perAddress.set(address, left)
  }
}
