/** The client: `pombo.sms.send(…)`, `pombo.messages.list(…)`, and so on for every call of the API. */
import { Events } from './events.ts'
import { Resources } from './generated/resources.ts'
import { VERSION } from './generated/version.ts'
import { Messages } from './messages.ts'
import { toQuery } from './path.ts'
import { type CallOptions, Transport } from './transport.ts'
import { Webhooks } from './webhooks.ts'

export type PomboOptions = Readonly<{
  /** Where the gateway is, such as `https://pombo.example`. */
  url: string | URL
  /** An API key or a JWT, or a function that returns one for each attempt. */
  key?: string | (() => string | Promise<string>) | undefined
  /** How long an attempt of a call may take; by default 30 seconds. */
  timeoutMs?: number | undefined
  /** How often a call is retried; by default 4 times. */
  maxRetries?: number | undefined
  /** A call that is to be retried only after a longer time is rejected instead; by default 20 seconds. */
  maxRetryDelayMs?: number | undefined
  /** Sent with every call. */
  headers?: Readonly<Record<string, string>> | undefined
  fetch?: typeof globalThis.fetch | undefined
}>

/** A call that the client does not know by name. */
export type RawCall = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  body?: object | undefined
  /** Whether it may be made again if it may have happened; by default only a GET, PUT or DELETE is. */
  repeatable?: boolean | undefined
}>

export class Pombo extends Resources {
  override readonly messages: Messages
  readonly events: Events
  readonly webhooks: Webhooks
  readonly #transport: Transport

  constructor(options: PomboOptions) {
    const transport = new Transport(toTransportOptions(options))
    super(transport)
    this.#transport = transport
    this.messages = new Messages(transport)
    this.events = new Events(transport)
    this.webhooks = new Webhooks()
  }

  /** For calls of a newer gateway. Resolves with the JSON of the answer, or undefined if it has no content. */
  request<Answer = unknown>(call: RawCall, options?: CallOptions): Promise<Answer> {
    const { method, path, query, body } = call
    if (!path.startsWith('/')) throw new TypeError(`the path ${path} does not begin with a slash`)
    const isRepeatable = call.repeatable ?? (method !== 'POST' && method !== 'PATCH')
    const made = {
      method,
      path: `${path}${toQuery(query)}`,
      body,
      repeatable: isRepeatable ? 'always' : 'never',
    } as const
    return this.#transport.jsonOrNothing<Answer>(made, options)
  }
}

function toTransportOptions(options: PomboOptions): ConstructorParameters<typeof Transport>[0] {
  const { key, timeoutMs = 30_000, maxRetries = 4, maxRetryDelayMs = 20_000, headers = {} } = options
  const { href } = new URL(options.url)
  return {
    url: href.replace(/\/+$/, ''),
    authorization: async () => {
      const current = typeof key === 'function' ? await key() : key
      return current === undefined ? undefined : `Bearer ${current}`
    },
    headers: { 'user-agent': `pombo-client/${VERSION}`, ...headers },
    timeoutMs,
    maxRetries,
    maxRetryDelayMs,
    // Browsers refuse to call it as a method of another object.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  }
}
