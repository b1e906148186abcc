/**
 * Sealed content that is too large for one message of the broker. It is stored in pieces before the event that it
 * belongs to, and a stub stands in its place; what is small stays where it is. Pieces that nobody's event came for,
 * or that are shredded, are purged; without their key they are noise anyway.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { JetStream } from './jetstream.ts'
import type { Names } from './subjects.ts'

/** Half of what brokers take as they come, because the leader hands out messages in base64. */
const PIECE_BYTES = 512 * 1024
/** Sealed bytes look random, so none of them ever begin like this. */
const STUB = Buffer.from('\0\0pombo content in pieces\0')

type Stub = Readonly<{ kid: string; pieces: number }>

export class Contents {
  readonly #js: Pick<JetStream, 'publish' | 'get' | 'api'>
  readonly #names: Names

  constructor(js: Pick<JetStream, 'publish' | 'get' | 'api'>, names: Names) {
    this.#js = js
    this.#names = names
  }

  /** What is to stand in the place of these bytes. */
  async stow(id: MessageId, kid: string, bytes: Uint8Array): Promise<Uint8Array> {
    if (bytes.length <= PIECE_BYTES) return bytes
    const pieces = Math.ceil(bytes.length / PIECE_BYTES)
    await Promise.all(
      places(pieces).map((place) =>
        this.#js.publish(
          this.#names.piece(id, kid, place),
          bytes.subarray(place * PIECE_BYTES, (place + 1) * PIECE_BYTES),
        ),
      ),
    )
    return Buffer.concat([STUB, Buffer.from(JSON.stringify({ kid, pieces } satisfies Stub))])
  }

  /** The bytes again; undefined where a piece of them is gone. */
  async fetch(id: MessageId, stowed: Uint8Array): Promise<Uint8Array | undefined> {
    const stub = stubOf(stowed)
    if (stub === undefined) return stowed
    const pieces = await Promise.all(
      places(stub.pieces).map((place) =>
        this.#js.get(this.#names.contents, { last_by_subj: this.#names.piece(id, stub.kid, place) }),
      ),
    )
    const found = pieces.filter((piece) => piece !== undefined).map(({ data }) => data)
    return found.length === stub.pieces ? Buffer.concat(found) : undefined
  }

  /** Whether these bytes are somewhere else, and so are to be purged when nobody needs them. */
  isStowed(stowed: Uint8Array): boolean {
    return stubOf(stowed) !== undefined
  }

  /** By which name the pieces go that these bytes stand for. */
  kidOf(stowed: Uint8Array): string | undefined {
    return stubOf(stowed)?.kid
  }

  /** Of one sealing, or of all of a message. */
  async purge(id: MessageId, kid = '*'): Promise<void> {
    await this.#js.api(`STREAM.PURGE.${this.#names.contents}`, { filter: this.#names.piece(id, kid, '*') })
  }
}

const places = (count: number): readonly number[] => Array.from({ length: count }, (_, place) => place)

function stubOf(stowed: Uint8Array): Stub | undefined {
  const bytes = Buffer.from(stowed.buffer, stowed.byteOffset, stowed.byteLength)
  if (!bytes.subarray(0, STUB.length).equals(STUB)) return undefined
  return JSON.parse(bytes.toString('utf8', STUB.length)) as Stub
}
