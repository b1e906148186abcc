/** Makes calls: with the key, in time, and again where that is safe. */
import { Deadline } from './deadline.ts'
import { PomboError, toPomboError } from './errors.ts'
import { linesOf } from './lines.ts'
import { Pages } from './pages.ts'
import { toQuery } from './path.ts'
import { pause, type Repeatable, type RetryLimits, toRetryDelay } from './retry.ts'

export type Call = Readonly<{
  method: string
  path: string
  query?: object | undefined
  body?: object | undefined
  headers?: Readonly<Record<string, string>> | undefined
  repeatable: Repeatable
}>

export type CallOptions = Readonly<{
  /** Ends the call, with its retries. */
  signal?: AbortSignal | undefined
  /** For each attempt; by default that of the client. */
  timeoutMs?: number | undefined
  /** Of a send, instead of the field `idempotency_key`; by default one is generated. */
  idempotencyKey?: string | undefined
}>

export type TransportOptions = RetryLimits &
  Readonly<{
    /** Without a slash at the end. */
    url: string
    authorization: () => Promise<string | undefined>
    headers: Readonly<Record<string, string>>
    timeoutMs: number
    fetch: typeof globalThis.fetch
  }>

/** The body of an answer that has begun, and what ends it. */
export type Opened = Readonly<{ body: ReadableStream<Uint8Array>; deadline: Deadline }>

type Read<Answer> = (response: Response, deadline: Deadline) => Promise<Answer>
/** A call with what is the same in all of its attempts. */
type Attempt<Answer> = Readonly<{ call: Call; options: CallOptions; key: string | undefined; read: Read<Answer> }>

export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  json<Answer>(call: Call, options?: CallOptions): Promise<Answer> {
    return this.request(call, options, (response) => readJson<Answer>(response))
  }

  /** Undefined if the answer has no content. */
  jsonOrNothing<Answer>(call: Call, options?: CallOptions): Promise<Answer> {
    return this.request(call, options, async (response) =>
      response.status === 204 ? (undefined as Answer) : readJson<Answer>(response),
    )
  }

  async nothing(call: Call, options?: CallOptions): Promise<void> {
    await this.request(call, options, (response) => response.arrayBuffer())
  }

  text(call: Call, options?: CallOptions): Promise<string> {
    return this.request(call, options, (response) => response.text())
  }

  bytes(call: Call, options?: CallOptions): Promise<Uint8Array> {
    return this.request(call, options, async (response) => new Uint8Array(await response.arrayBuffer()))
  }

  pages<Item, Page extends Readonly<{ items: readonly Item[]; next_cursor?: string | null }>>(
    call: Call,
    options?: CallOptions,
  ): Pages<Item, Page> {
    return new Pages((cursor) =>
      this.json<Page>(cursor === undefined ? call : { ...call, query: { ...call.query, cursor } }, options),
    )
  }

  /** The lines of a long answer as they arrive. The time for an attempt is the time between two reads. */
  async *lines(call: Call, options: CallOptions = {}): AsyncGenerator<string> {
    const withinMs = options.timeoutMs ?? this.#options.timeoutMs
    const { body, deadline } = await this.stream(call, options)
    try {
      yield* linesOf(body, () => deadline.extend(withinMs))
    } catch (error) {
      throw deadline.explain(error)
    } finally {
      deadline.end()
    }
  }

  /** The body of an answer that is read while it arrives; the caller ends the deadline. */
  stream(call: Call, options: CallOptions = {}): Promise<Opened> {
    return this.request(
      call,
      options,
      async (response, deadline) => {
        if (response.body === null) throw new PomboError({ code: 'INVALID_RESPONSE', detail: 'The answer has no body' })
        return { body: response.body, deadline }
      },
      'stays open',
    )
  }

  async request<Answer>(
    call: Call,
    options: CallOptions = {},
    read: Read<Answer>,
    after: 'ends' | 'stays open' = 'ends',
  ): Promise<Answer> {
    const attempt = { call, options, key: toKey(call, options), read }
    for (let retries = 0; ; retries += 1) {
      try {
        return await this.#attempt(attempt, after)
      } catch (error) {
        const delayMs =
          error instanceof PomboError ? toRetryDelay(error, call.repeatable, retries, this.#options) : undefined
        if (delayMs === undefined) throw error
        await pause(delayMs, options.signal)
      }
    }
  }

  async #attempt<Answer>({ call, options, key, read }: Attempt<Answer>, after: 'ends' | 'stays open'): Promise<Answer> {
    const { url, timeoutMs, fetch } = this.#options
    const headers = await this.#headersOf(call, key)
    const deadline = new Deadline(options.timeoutMs ?? timeoutMs, options.signal)
    let staysOpen = false
    try {
      const response = await fetch(`${url}${call.path}${toQuery(call.query)}`, {
        method: call.method,
        headers,
        body: call.body === undefined ? null : JSON.stringify(call.body),
        // The key is for this server only.
        redirect: 'manual',
        signal: deadline.signal,
      })
      if (!response.ok) throw await toPomboError(response, key)
      const answer = await read(response, deadline)
      staysOpen = after === 'stays open'
      return answer
    } catch (error) {
      throw deadline.explain(error, key)
    } finally {
      if (!staysOpen) deadline.end()
    }
  }

  /** Before the attempt, because a header that is not valid is a mistake of the caller's. */
  async #headersOf({ body, headers }: Call, key: string | undefined): Promise<Headers> {
    const { authorization, headers: always } = this.#options
    const all = new Headers({ accept: 'application/json, */*;q=0.5', ...always, ...headers })
    const credentials = await authorization()
    if (credentials !== undefined) all.set('authorization', credentials)
    if (body !== undefined) all.set('content-type', 'application/json')
    if (key !== undefined && !hasOwnKey(body)) all.set('idempotency-key', key)
    return all
  }
}

const hasOwnKey = (body: object | undefined): body is { idempotency_key: string } =>
  body !== undefined && 'idempotency_key' in body && typeof body.idempotency_key === 'string'

function toKey({ body, repeatable }: Call, { idempotencyKey }: CallOptions): string | undefined {
  if (repeatable !== 'with-key') return undefined
  return hasOwnKey(body) ? body.idempotency_key : (idempotencyKey ?? crypto.randomUUID())
}

async function readJson<Answer>(response: Response): Promise<Answer> {
  const text = await response.text()
  try {
    return JSON.parse(text) as Answer
  } catch (cause) {
    const detail = `The server answered ${response.status} with something else than JSON`
    throw new PomboError({ code: 'INVALID_RESPONSE', status: response.status, detail, cause })
  }
}
