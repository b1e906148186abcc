/** Answers whose caller does not read them: they are cut off, so that nothing holds memory or a connection for ever. */
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/** How long a caller may take to read an answer, and one that is large. */
const WRITE_MILLIS = { small: 10_000, large: 30_000 }
/** How long a caller may read nothing of an answer that has no size: it may take as long as it likes in all. */
const STALL_MILLIS = 30_000

/** Cuts off an answer that has not been read in time. */
export function limitWriting(raw: ServerResponse, size: keyof typeof WRITE_MILLIS): void {
  const timeout = setTimeout(() => raw.destroy(), WRITE_MILLIS[size])
  raw.once('close', () => clearTimeout(timeout))
}

/** Cuts off an answer of which nothing was read for so long, while there is something to read. */
export function limitStalling(raw: ServerResponse, millis = STALL_MILLIS): void {
  // Injected without a connection. A pipelined answer gets its socket later.
  if (raw.socket !== null && !(raw.socket instanceof Socket)) return
  // The timeout of a socket begins anew when a write makes progress. We may be what it waits for.
  raw.setTimeout(millis, () => {
    if (raw.writableLength > 0) raw.destroy()
  })
}
