/**
 * A mail while it is sent over one connection. The server asks for the content after it has answered every recipient, so
 * the content is withheld there if the server refused the main recipient. It also knows when the server may have the
 * whole mail.
 */
import { Readable } from 'node:stream'
import type { NodemailerError } from 'nodemailer'
import type { Envelope } from '../envelope.ts'
import { hasEightBits } from '../mime-source.ts'
import type { SmtpReply } from './errors.ts'
import type { RefusedCopy } from './outcome.ts'

export type ComposedMail = Readonly<{ envelope: Envelope; raw: Buffer; reference: string }>

/** nodemailer adds the servers' refusals to the envelope it is given. */
type ClientEnvelope = {
  from: string
  to: string[]
  size: number
  use8BitMime: boolean
  dsn: Dsn
  rejectedErrors?: readonly NodemailerError[]
}
type Dsn = { ret: 'HDRS'; envid: string; notify: string }

const CHUNK = 64 * 1024

export class OutgoingMail {
  readonly envelope: ClientEnvelope
  readonly content: Readable
  readonly #to: Envelope['to']
  #sent = 0
  #isFullySent = false

  constructor({ envelope: { from, to }, raw, reference }: ComposedMail) {
    const dsn: Dsn = { ret: 'HDRS', envid: reference, notify: 'FAILURE,DELAY' }
    this.#to = to
    this.envelope = { from, to: [...to], size: raw.length, use8BitMime: hasEightBits(raw), dsn }
    this.content = new Readable({ read: () => this.#sendChunk(raw) })
  }

  /** Whether none of the content has been sent. */
  get isUnsent(): boolean {
    return this.#sent === 0
  }

  /** Whether the end of the content has been sent. */
  get isFullySent(): boolean {
    return this.#isFullySent
  }

  get hasCopies(): boolean {
    return this.envelope.to.length > 1
  }

  /** The server's refusal of the main recipient. The mail is sent without copies that it refuses. */
  get refusal(): NodemailerError | undefined {
    const [to] = this.envelope.to
    return this.envelope.rejectedErrors?.find(({ recipient }) => recipient === to)
  }

  get refusedCopies(): readonly RefusedCopy[] {
    const { rejectedErrors = [] } = this.envelope
    return this.#to.flatMap((address, index) => {
      const error = index === 0 ? undefined : rejectedErrors.find(({ recipient }) => recipient === address)
      return error === undefined ? [] : [{ index, address, reply: toReply(error) }]
    })
  }

  #sendChunk(raw: Buffer): void {
    if (this.refusal !== undefined) {
      this.content.destroy(new Error('the server refused the recipient'))
      return
    }
    const end = Math.min(raw.length, this.#sent + CHUNK)
    const chunk = raw.subarray(this.#sent, end)
    this.#sent = end
    this.#isFullySent = end === raw.length
    this.content.push(chunk)
    if (this.#isFullySent) this.content.push(null)
  }
}

/** The status is zero if the server did not answer. */
export const toReply = ({ responseCode: status = 0, response: text = '' }: NodemailerError): SmtpReply => ({
  status,
  text,
})
