/**
 * Sealed content that is too large for one message of the broker. It is stored in pieces before its event, and the
 * event carries a stub instead; smaller content stays in the event. Pieces without an event and pieces of shredded
 * messages are purged; without their key they are unreadable anyway.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { JetStream } from './jetstream.ts'
import type { Names } from './subjects.ts'

/** Half of the broker's default limit, because the leader returns messages in base64. */
const PIECE_BYTES = 512 * 1024
/** Sealed bytes are random, so content never begins like this. */
const STUB = Buffer.from('\0\0pombo content in pieces\0')

type Stub = Readonly<{ kid: string; pieces: number }>

export class Contents {
  readonly #js: Pick<JetStream, 'publish' | 'get' | 'api'>
  readonly #names: Names

  constructor(js: Pick<JetStream, 'publish' | 'get' | 'api'>, names: Names) {
    this.#js = js
    this.#names = names
  }

  /** Whether the content must be stored in pieces. */
  isLarge(bytes: Uint8Array): boolean {
    return bytes.length > PIECE_BYTES
  }

  /** The bytes to put into the event: the content itself, or the stub of the stored pieces. */
  async offload(id: MessageId, kid: string, bytes: Uint8Array): Promise<Uint8Array> {
    if (!this.isLarge(bytes)) return bytes
    const pieces = Math.ceil(bytes.length / PIECE_BYTES)
    await Promise.all(
      indexes(pieces).map((index) =>
        this.#js.publish(
          this.#names.piece(id, kid, index),
          bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
        ),
      ),
    )
    return Buffer.concat([STUB, Buffer.from(JSON.stringify({ kid, pieces } satisfies Stub))])
  }

  /** The content; undefined if a piece is gone. */
  async fetch(id: MessageId, stored: Uint8Array): Promise<Uint8Array | undefined> {
    const stub = stubOf(stored)
    if (stub === undefined) return stored
    const pieces = await Promise.all(
      indexes(stub.pieces).map((index) =>
        this.#js.get(this.#names.contents, { last_by_subj: this.#names.piece(id, stub.kid, index) }),
      ),
    )
    const found = pieces.filter((piece) => piece !== undefined).map(({ data }) => data)
    return found.length === stub.pieces ? Buffer.concat(found) : undefined
  }

  /** Whether the content is stored in pieces, which must be purged when it is shredded. */
  isOffloaded(stored: Uint8Array): boolean {
    return stubOf(stored) !== undefined
  }

  /** The key id under which the pieces are stored. */
  kidOf(stored: Uint8Array): string | undefined {
    return stubOf(stored)?.kid
  }

  /** Purges the pieces under one key id, or all pieces of a message. */
  async purge(id: MessageId, kid = '*'): Promise<void> {
    await this.#js.api(`STREAM.PURGE.${this.#names.contents}`, { filter: this.#names.piece(id, kid, '*') })
  }
}

const indexes = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

function stubOf(stored: Uint8Array): Stub | undefined {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  if (!bytes.subarray(0, STUB.length).equals(STUB)) return undefined
  return JSON.parse(bytes.toString('utf8', STUB.length)) as Stub
}
