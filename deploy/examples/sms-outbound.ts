/**
 * An independent consumer of `sms-outbound`, as a starting point for your own: it takes the texts that Pombo has sent to
 * users from a JetStream stream, and logs "SMS Sent" with each. It shares no code with Pombo. A text that it has not
 * acknowledged is delivered again.
 *
 *     NATS_URL=nats://127.0.0.1:4222 STREAM=SMS_OUTBOUND node sms-outbound.ts
 */
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'

const { NATS_URL = 'nats://127.0.0.1:4222', STREAM = 'SMS_OUTBOUND', SUBJECT = 'sms-outbound' } = process.env
const CONSUMER = 'sender'

const connection = await connect({ servers: NATS_URL, maxReconnectAttempts: -1 })
const { consumers } = await jetstreamManager(connection)
await consumers.add(STREAM, { durable_name: CONSUMER, ack_policy: AckPolicy.Explicit, filter_subject: SUBJECT })
const messages = await (await jetstream(connection).consumers.get(STREAM, CONSUMER)).consume()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => messages.stop())

for await (const message of messages) {
  console.log(`SMS Sent: ${JSON.stringify(message.json<{ userId: number; message: string }>())}`)
  message.ack()
}
await connection.drain()
