/**
 * The answer to a request whose body is still arriving. A connection that is closed while bytes arrive is reset, and the
 * reset may overtake the answer: the caller would see a broken connection and not why it was refused. So the answer is
 * written at once, and what still arrives is read and discarded for a while before the connection is closed.
 */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

export type LingerBounds = Readonly<{ bytes: number; forMs: number; silentForMs: number }>

const BOUNDS: LingerBounds = { bytes: 16 * 1024 * 1024, forMs: 10_000, silentForMs: 2_000 }

/** What Node reads and discards by itself while the connection stays open. */
const SMALL_BYTES = 64 * 1024

/** Whether an answer now may be lost: more of the body may arrive, and the connection is closed after the answer. */
export function needsLingering({ complete, destroyed, headers }: IncomingMessage, isClosing: boolean): boolean {
  if (complete !== false || destroyed) return false
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  if (encoding !== undefined) return true
  return Number(length ?? 0) > (isClosing ? 0 : SMALL_BYTES)
}

/** A payload of `answer` that ends only when the body has arrived, or enough of it. It needs a Content-Length. */
export function lingering(request: IncomingMessage, answer: Buffer, bounds: LingerBounds = BOUNDS): Readable {
  const payload = new Readable({ read: () => undefined })
  payload.push(answer)
  let left = bounds.bytes
  const end = (): void => {
    clearTimeout(deadline)
    clearTimeout(silence)
    request.off('data', discard)
    for (const event of ENDS) request.off(event, end)
    payload.push(null)
  }
  const discard = (chunk: Buffer): void => {
    silence.refresh()
    left -= chunk.length
    if (left < 0) end()
  }
  const deadline = setTimeout(end, bounds.forMs)
  const silence = setTimeout(end, bounds.silentForMs)
  for (const event of ENDS) request.once(event, end)
  request.on('data', discard)
  request.resume()
  return payload
}

const ENDS = ['end', 'close', 'error'] as const
