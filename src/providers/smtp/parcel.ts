/**
 * A mail on its way over one connection. The server asks for it once it has heard of all recipients, so that is
 * where it is held back if it does not take the one it is for; and it knows from when on the server may have it all.
 */
import { Readable } from 'node:stream'
import type { NodemailerError } from 'nodemailer'
import type { Envelope } from '../envelope.ts'
import type { SmtpReply } from './errors.ts'
import type { RefusedCopy } from './outcome.ts'

export type Mailing = Readonly<{ envelope: Envelope; raw: Buffer; reference: string }>

/** What the client notes in the envelope it is given, while the server answers. */
type Noted = { from: string; to: string[]; size: number; dsn: Dsn; rejectedErrors?: readonly NodemailerError[] }
type Dsn = { ret: 'HDRS'; envid: string; notify: string }

const PIECE = 64 * 1024

export class Parcel {
  readonly envelope: Noted
  readonly content: Readable
  readonly #to: Envelope['to']
  #given = 0
  #isAllGiven = false

  constructor({ envelope: { from, to }, raw, reference }: Mailing) {
    const dsn: Dsn = { ret: 'HDRS', envid: reference, notify: 'FAILURE,DELAY' }
    this.#to = to
    this.envelope = { from, to: [...to], size: raw.length, dsn }
    this.content = new Readable({ read: () => this.#give(raw) })
  }

  /** Whether the server has not even been given its beginning. */
  get isUntouched(): boolean {
    return this.#given === 0
  }

  /** Whether its end is on its way. */
  get isAllGiven(): boolean {
    return this.#isAllGiven
  }

  get isShared(): boolean {
    return this.envelope.to.length > 1
  }

  /** Why the server does not take the one it is for; copies that it does not take are left out. */
  get refusal(): NodemailerError | undefined {
    const [to] = this.envelope.to
    return this.envelope.rejectedErrors?.find(({ recipient }) => recipient === to)
  }

  /** The others whom the server does not take. */
  get refusedCopies(): readonly RefusedCopy[] {
    const { rejectedErrors = [] } = this.envelope
    return this.#to.flatMap((about, place) => {
      const error = place === 0 ? undefined : rejectedErrors.find(({ recipient }) => recipient === about)
      return error === undefined ? [] : [{ place, about, reply: toReply(error) }]
    })
  }

  #give(raw: Buffer): void {
    if (this.refusal !== undefined) {
      this.content.destroy(new Error('whom the mail is for was refused'))
      return
    }
    const end = Math.min(raw.length, this.#given + PIECE)
    const piece = raw.subarray(this.#given, end)
    this.#given = end
    this.#isAllGiven = end === raw.length
    this.content.push(piece)
    if (this.#isAllGiven) this.content.push(null)
  }
}

/** `status` is zero where the server did not answer. */
export const toReply = ({ responseCode: status = 0, response: text = '' }: NodemailerError): SmtpReply => ({
  status,
  text,
})
