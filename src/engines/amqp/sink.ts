/**
 * A sink on an exchange of an AMQP 0-9-1 broker such as RabbitMQ. The broker confirms each event once it is in every
 * queue that it is routed to. An event that no queue takes comes back: the exchange would drop it.
 */
import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib'
import type { Sink, SinkEvent } from '../../ports/sink.ts'
import { Unavailable } from '../../ports/unavailable.ts'

export type AmqpSinkOptions = Readonly<{
  url: string
  /** It must exist. The default exchange, which routes to the queue with the name of the routing key, has no name. */
  exchange: string
  /** Comes before the type of an event in its routing key. */
  prefix: string
  /** How long the broker may take to confirm; for tests. */
  timeoutMs?: number
}>

const CONNECT_WITHIN_MS = 10_000
const CONFIRM_WITHIN_MS = 15_000

export async function openAmqpSink(options: AmqpSinkOptions): Promise<Sink> {
  const { url, exchange } = options
  const { hostname: servername } = new URL(url)
  try {
    const connection = await connect(url, { timeout: CONNECT_WITHIN_MS, servername })
    const sink = new AmqpSink(connection, options)
    await sink.begin(exchange)
    return sink
  } catch (cause) {
    throw new Unavailable('the AMQP broker is not available', { cause })
  }
}

class AmqpSink implements Sink {
  readonly #connection: ChannelModel
  readonly #options: AmqpSinkOptions
  #channel: ConfirmChannel | undefined
  /** Why the connection or the channel was closed. */
  #fault: Error | undefined
  /** The routing key of an event that no queue took. */
  #unroutable: string | undefined

  constructor(connection: ChannelModel, options: AmqpSinkOptions) {
    this.#connection = connection
    this.#options = options
    connection.on('error', (error) => {
      this.#fault = error
    })
  }

  async begin(exchange: string): Promise<void> {
    try {
      const channel = await this.#connection.createConfirmChannel()
      this.#channel = channel
      channel.on('error', (error) => {
        this.#fault = error
      })
      channel.on('return', ({ fields }) => {
        this.#unroutable = fields.routingKey
      })
      if (exchange !== '') await channel.checkExchange(exchange)
    } catch (error) {
      await this[Symbol.asyncDispose]()
      throw error
    }
  }

  async publish(events: readonly SinkEvent[]): Promise<void> {
    const { timeoutMs = CONFIRM_WITHIN_MS } = this.#options
    this.#unroutable = undefined
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error('the broker has confirmed nothing')), timeoutMs)
    try {
      await Promise.race([this.#confirmed(events), late.promise])
    } catch (error) {
      throw new Unavailable('the AMQP broker has not stored all events', { cause: this.#fault ?? error })
    } finally {
      clearTimeout(timer)
    }
    // The broker returns an event before it confirms it.
    if (this.#unroutable !== undefined) {
      throw new Unavailable(`no queue takes events with the routing key ${this.#unroutable}`)
    }
  }

  async #confirmed(events: readonly SinkEvent[]): Promise<void> {
    for (const { id, type, messageId, body } of events) {
      this.#channel?.publish(this.#options.exchange, `${this.#options.prefix}${type}`, Buffer.from(body), {
        messageId: id,
        type,
        headers: { message_id: messageId },
        contentType: 'application/json',
        persistent: true,
        mandatory: true,
      })
    }
    await this.#channel?.waitForConfirms()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close().catch(() => undefined)
  }
}
