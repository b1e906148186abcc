/**
 * One stream of events: a response that stays open. It buffers little. A client that reads too slowly is left behind: it
 * gets no more until it has read what there is, and then catches up from the log.
 */
import type { ServerResponse } from 'node:http'
import type { TenantId } from '../../domain/ids.ts'
import type { Position } from '../../ports/event-log.ts'
import type { EventFilter } from './event-frames.ts'

/** A client that has not read so much of what was written is behind. */
const MOST_UNREAD_BYTES = 128 * 1024
/** How long a client may read nothing. */
const STALLED_MS = 30_000

export type StreamOptions = Readonly<{ tenantId: TenantId; filter: EventFilter; position: Position }>

export class EventStream {
  readonly tenantId: TenantId
  readonly filter: EventFilter
  /** Aborts when the stream ends, for whatever reason. */
  readonly ended: AbortSignal
  /** What passes the filter up to here was written. While the stream is live, it is further. */
  position: Position
  /** Whether anything was written since the last heartbeat. */
  isActive = false
  readonly #response: ServerResponse

  constructor(response: ServerResponse, { tenantId, filter, position }: StreamOptions) {
    this.tenantId = tenantId
    this.filter = filter
    this.position = position
    this.#response = response
    const ended = new AbortController()
    this.ended = ended.signal
    response.once('close', () => ended.abort())
  }

  get isBehind(): boolean {
    return this.#response.writableLength > MOST_UNREAD_BYTES
  }

  write(text: string | Uint8Array): void {
    if (text.length === 0 || this.ended.aborted || this.#response.writableEnded) return
    this.isActive = true
    this.#response.write(text)
  }

  /** Resolves once the client has read what was written, or the stream has ended: one that is not read ends. */
  async drained(): Promise<void> {
    if (!this.#response.writableNeedDrain || this.ended.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    const stalled = setTimeout(() => this.#response.destroy(), STALLED_MS)
    this.#response.once('drain', wake)
    this.ended.addEventListener('abort', wake)
    await promise
    clearTimeout(stalled)
    this.#response.off('drain', wake)
    this.ended.removeEventListener('abort', wake)
  }

  /** What was written still arrives. */
  end(): void {
    this.#response.end()
  }
}
