/**
 * Takes the bytes of a mail as they arrive, within a size, a time and the memory that its tenant may use. What is too
 * much is read and dropped, so that the client sees the reply, up to a point.
 */
import type { SMTPServerDataStream } from 'smtp-server'
import { Reply, tooLargeReply } from './replies.ts'

/** Memory that is counted until it is released. It is undefined where there is no room now. */
export type Reserve = (bytes: number) => (() => void) | undefined

export type ReceiveOptions = Readonly<{
  maxBytes: number
  /** Only the beginning of the mail is wanted, up to this size. */
  wantedBytes?: number
  /** What the client announced; zero if it did not. */
  announced: number
  reserve: Reserve
  /** Ends the connection. */
  hangUp: (text: string) => void
}>

export type ReceivedMail = Readonly<{ raw: Buffer; release: () => void }>

/** Smaller mails are not counted, and neither are beginnings up to twice that size. */
const SMALL_BYTES = 64 * 1024
const COUNTED_BYTES = 2 * SMALL_BYTES
/** How much more than the maximum is read before the connection is closed. */
const TOLERATED_BYTES = 2 * 1024 * 1024
const MAX_MILLIS = 300_000

/** Throws a reply for what cannot be taken. Rejects if the client disconnects. */
export async function receiveMail(stream: SMTPServerDataStream, options: ReceiveOptions): Promise<ReceivedMail> {
  const { maxBytes, wantedBytes = maxBytes, announced, reserve, hangUp } = options
  const isCounted = wantedBytes > COUNTED_BYTES
  const chunks: Buffer[] = []
  let size = 0
  let release: (() => void) | undefined
  let problem: Reply | undefined
  const timer = setTimeout(() => hangUp('4.4.2 The mail did not arrive in time'), MAX_MILLIS)
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length
      if (isCounted && size > SMALL_BYTES && release === undefined && problem === undefined) {
        release = reserve(announced >= size ? announced : maxBytes)
        if (release === undefined) problem = new Reply('452 4.3.1', 'Too many large mails at once, try again later')
      }
      if (size > maxBytes) problem ??= tooLargeReply(maxBytes)
      if (size > maxBytes + TOLERATED_BYTES) hangUp('4.3.4 The mail is much too large')
      if (problem !== undefined) chunks.length = 0
      else if (size - chunk.length < wantedBytes) chunks.push(chunk.subarray(0, wantedBytes - (size - chunk.length)))
    }
    if (problem !== undefined) throw problem
    return { raw: Buffer.concat(chunks), release: release ?? (() => undefined) }
  } catch (error) {
    release?.()
    throw error
  } finally {
    clearTimeout(timer)
  }
}
