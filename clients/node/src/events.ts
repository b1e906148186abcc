/** The live stream of events, which survives connections that break. */
import { PomboError } from './errors.ts'
import type { Channel, EventData, EventName } from './generated/types.ts'
import { linesOf } from './lines.ts'
import { pause, toBackOff, toRetryDelay } from './retry.ts'
import { EventParser, type ServerSentEvent } from './sse.ts'
import type { Opened, Transport } from './transport.ts'

/** `name` tells which `data` it is. */
export type PomboEvent = {
  [Name in EventName]: Readonly<{
    /** Pass it as `lastEventId` to go on after this event. */
    id: string
    name: Name
    data: EventData[Name]
  }>
}[EventName]

export type StreamOptions<Name extends EventName = EventName> = Readonly<{
  channel?: Channel | undefined
  message_id?: string | undefined
  /** Only events of this name. */
  event?: Name | undefined
  /** The id of the last event that you got, or `0` for the oldest event in the log. By default the stream starts now. */
  lastEventId?: string | undefined
  /** Ends the stream; the iteration then rejects with its reason. */
  signal?: AbortSignal | undefined
}>

export type PomboEventOf<Name extends EventName> = Extract<PomboEvent, Readonly<{ name: Name }>>

/** The gateway writes something every 15 seconds. */
const SILENT_MS = 45_000
const MAX_DELAY_MS = 30_000

/** Breaking out of the iteration closes the connection. */
export class EventStream<Name extends EventName = EventName> implements AsyncIterable<PomboEventOf<Name>> {
  readonly #transport: Transport
  readonly #options: StreamOptions<Name>
  #lastEventId: string | undefined

  constructor(transport: Transport, options: StreamOptions<Name>) {
    this.#transport = transport
    this.#options = options
    this.#lastEventId = options.lastEventId
  }

  /** Where to resume. It also moves while no event passes the filter. */
  get lastEventId(): string | undefined {
    return this.#lastEventId
  }

  /**
   * Once it was connected, it reconnects for as long as that takes. An event may be repeated then, but none is skipped.
   * Rejects if the gateway refuses, for example because the key was revoked.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<PomboEventOf<Name>> {
    // The first connection is retried as any call; what fails then is the caller's to know.
    let connection = await this.#connect()
    for (let failures = 0; ; failures += 1) {
      const parser = new EventParser(this.#lastEventId)
      try {
        for await (const line of linesOf(connection.body, () => connection.deadline.extend(SILENT_MS))) {
          const event = parser.push(line)
          this.#lastEventId = parser.lastEventId
          failures = 0
          if (event !== undefined) yield toPomboEvent<Name>(event)
        }
      } catch (error) {
        refuseFinal(connection.deadline.explain(error))
      } finally {
        connection.deadline.end()
      }
      connection = await this.#reconnect(failures)
    }
  }

  async #reconnect(failures: number): Promise<Opened> {
    for (let retries = failures; ; retries += 1) {
      await pause(toBackOff(retries, MAX_DELAY_MS), this.#options.signal)
      try {
        return await this.#connect()
      } catch (error) {
        refuseFinal(error)
      }
    }
  }

  async #connect(): Promise<Opened> {
    const { lastEventId: _, signal, ...query } = this.#options
    const headers = this.#lastEventId === undefined ? {} : { 'last-event-id': this.#lastEventId }
    const call = { method: 'GET', path: '/v1/events', query, headers, repeatable: 'always' } as const
    const connection = await this.#transport.stream(call, { signal })
    connection.deadline.extend(SILENT_MS)
    return connection
  }
}

/** Throws what another attempt would not change. */
function refuseFinal(error: unknown): void {
  const isPassing =
    error instanceof PomboError &&
    toRetryDelay(error, 'always', 0, { maxRetries: 1, maxRetryDelayMs: Number.POSITIVE_INFINITY }) !== undefined
  if (!isPassing) throw error
}

function toPomboEvent<Name extends EventName>({ id, event, data }: ServerSentEvent): PomboEventOf<Name> {
  try {
    return { id, name: event, data: JSON.parse(data) } as PomboEventOf<Name>
  } catch (cause) {
    throw new PomboError({ code: 'INVALID_RESPONSE', detail: 'The stream has an event that is not JSON', cause })
  }
}

export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The events of your tenant as they happen. Needs the scope `messages:read`. */
  stream<Name extends EventName = EventName>(options: StreamOptions<Name> = {}): EventStream<Name> {
    return new EventStream(this.#transport, options)
  }
}
