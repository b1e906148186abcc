/**
 * A sink on topics of Kafka, one for each type of event. The key of a record is the id of its message, so the events of a
 * message share a partition. All replicas in sync confirm.
 */
import { ProduceAcks, Producer, stringSerializers } from '@platformatic/kafka'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Sink, SinkEvent } from '../../ports/sink.ts'
import { Unavailable } from '../../ports/unavailable.ts'

export const SASL_MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const

export type KafkaSinkOptions = Readonly<{
  /** As `host:port`. */
  brokers: readonly string[]
  /** Comes before the type of an event in the name of its topic. */
  prefix: string
  tls: boolean
  sasl?: Readonly<{ mechanism: (typeof SASL_MECHANISMS)[number]; username: string; password: string }>
}>

const CLIENT_ID = 'pombo'
const CONNECT_WITHIN_MS = 10_000
const CONFIRM_WITHIN_MS = 15_000

export async function openKafkaSink({ brokers, prefix, tls, sasl }: KafkaSinkOptions): Promise<Sink> {
  const producer = new Producer({
    clientId: CLIENT_ID,
    bootstrapBrokers: [...brokers],
    serializers: stringSerializers,
    acks: ProduceAcks.ALL,
    autocreateTopics: true,
    // The worker of the sink publishes the page again.
    retries: 0,
    connectTimeout: CONNECT_WITHIN_MS,
    requestTimeout: CONFIRM_WITHIN_MS,
    timeout: CONFIRM_WITHIN_MS,
    tlsServerName: true,
    ...omitUndefined({ tls: tls ? {} : undefined, sasl }),
  })
  const sink = {
    async publish(events: readonly SinkEvent[]): Promise<void> {
      const messages = events.map(({ id, type, messageId, body }) => ({
        topic: `${prefix}${type}`,
        key: messageId,
        value: body,
        headers: { id, type },
      }))
      await producer.send({ messages }).catch(throwUnavailable)
    },

    async [Symbol.asyncDispose](): Promise<void> {
      await producer.close().catch(() => undefined)
    },
  }
  await producer.metadata({ topics: [] }).catch(async (error: unknown) => {
    await sink[Symbol.asyncDispose]()
    throwUnavailable(error)
  })
  return sink
}

function throwUnavailable(error: unknown): never {
  // One error for each broker that was asked.
  const cause = error instanceof AggregateError ? error.errors[0] : error
  throw new Unavailable('Kafka has not stored all events', { cause })
}
