/** The schema of the sinks in the configuration file, and of the settings of each kind. */
import { type Static, type TObject, Type } from 'typebox'
import { parseSinkName, type SinkName } from '../domain/ids.ts'
import { INTEGRATION_EVENTS } from '../domain/message/integration-events.ts'
import { SMS_OUTBOUND } from '../domain/message/sms-outbound.ts'

const CLOSED = { additionalProperties: false }
const SASL_MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const

const url = (protocols: readonly string[], description: string) =>
  Type.Refine(
    Type.String({ description, must: `a URL that begins with ${protocols.map((name) => `${name}://`).join(' or ')}` }),
    (text) => protocols.some((name) => text.startsWith(`${name}://`)) && URL.canParse(text),
  )

/** Letters that every broker takes in a name. */
const prefix = (what: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._-]{1,100}$',
      must: 'at most 100 letters, digits, ., _ or -',
      description: `Comes before the type of an event in its ${what}: \`pombo.\` makes \`pombo.sms.events.status.v1\`.`,
    }),
  )

const KafkaSchema = Type.Object(
  {
    brokers: Type.Array(
      Type.String({ pattern: '^[^\\s:/]+:[0-9]{1,5}$', must: 'a broker such as kafka-1.example:9092' }),
      {
        minItems: 1,
        must: 'a list with at least one broker',
        description: 'The brokers to connect to first, as `host:port`.',
      },
    ),
    tls: Type.Optional(
      Type.Boolean({
        must: 'true or false',
        description:
          'Whether to connect with TLS. `NODE_EXTRA_CA_CERTS` names the certificates of a private authority.',
      }),
    ),
    sasl: Type.Optional(
      Type.Object(
        {
          mechanism: Type.Enum([...SASL_MECHANISMS], {
            must: 'PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512',
            description: 'How to authenticate.',
          }),
          username: Type.String({ must: 'a string', description: 'The user.' }),
          password: Type.String({ must: 'a string', description: 'The password; keep it in a variable.' }),
        },
        { ...CLOSED, must: 'an object', description: 'The user to authenticate as.' },
      ),
    ),
    prefix: prefix('topic'),
  },
  { ...CLOSED, must: 'an object' },
)

const AmqpSchema = Type.Object(
  {
    url: url(
      ['amqp', 'amqps'],
      'The broker, with user, password and virtual host: `amqps://user:password@host/vhost`; keep it in a variable.',
    ),
    exchange: Type.String({
      maxLength: 255,
      must: 'the name of an exchange',
      description:
        'The exchange. It must exist, and every event must be routed to a queue: until it is, nothing further is published. The default exchange has the name `""`.',
    }),
    prefix: prefix('routing key'),
  },
  { ...CLOSED, must: 'an object' },
)

const NatsSchema = Type.Object(
  {
    url: url(['nats', 'tls', 'ws', 'wss'], 'The NATS server, version 2.12 or later, with JetStream.'),
    stream: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      must: 'a name of at most 64 letters, digits, _ or -',
      description:
        'The stream. If it does not exist, it is created with the subjects of the types, one replica and a week of events.',
    }),
    prefix: prefix('subject'),
  },
  { ...CLOSED, must: 'an object' },
)

export type KafkaSettings = Static<typeof KafkaSchema>
export type AmqpSettings = Static<typeof AmqpSchema>
export type NatsSettings = Static<typeof NatsSchema>

export const SINK_KINDS = {
  kafka: { description: 'Apache Kafka 3.5 or later: one topic for each type of event.', settings: KafkaSchema },
  amqp: { description: 'AMQP 0-9-1, such as RabbitMQ: the type is the routing key.', settings: AmqpSchema },
  nats: { description: 'A JetStream stream: the type is the subject.', settings: NatsSchema },
} as const satisfies Readonly<Record<string, Readonly<{ description: string; settings: TObject }>>>

const TYPES = [...INTEGRATION_EVENTS, SMS_OUTBOUND]

export const SinkSchema = Type.Object(
  {
    name: Type.Unsafe<SinkName>(
      Type.Refine(
        Type.String({
          must: 'a name of at most 64 letters, digits, - or _',
          description:
            'The name under which Pombo remembers how far it has published. A sink with a new name begins with what happens from then on.',
        }),
        (text) => parseSinkName(text) !== undefined,
      ),
    ),
    kind: Type.Enum(['kafka', 'amqp', 'nats'], { must: 'kafka, amqp or nats', description: 'The kind of broker.' }),
    types: Type.Optional(
      Type.Array(Type.Enum(TYPES, { must: 'the name of an event' }), {
        minItems: 1,
        must: `a list of ${TYPES.join(', ')}`,
        description:
          'The events that are published. Without this key, all except `sms-outbound`, which has the texts of messages.',
      }),
    ),
    settings: Type.Record(Type.String(), Type.Unknown(), {
      must: 'an object',
      description: 'The settings of its kind: see below.',
    }),
  },
  CLOSED,
)
export type FileSink = Static<typeof SinkSchema>

type Settings = Readonly<
  | { kind: 'kafka'; settings: KafkaSettings }
  | { kind: 'amqp'; settings: AmqpSettings }
  | { kind: 'nats'; settings: NatsSettings }
>
export type SinkConfig = Settings & Readonly<{ name: SinkName; types: readonly string[] }>

export function toSink({ types = [...INTEGRATION_EVENTS], ...file }: FileSink): SinkConfig {
  // The settings were checked against the schema of the kind.
  const sink: unknown = { ...file, types }
  return sink as SinkConfig
}
