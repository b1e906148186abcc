/**
 * A sink on a JetStream stream, of the gateway's own broker or another one. The broker drops an event that is published
 * twice within two minutes.
 */
import { seconds } from '../../lib/time.ts'
import type { Sink } from '../../ports/sink.ts'
import { openNats } from './connection.ts'
import { JetStream, JetStreamError } from './jetstream.ts'
import { nanos } from './streams.ts'

export type NatsSinkOptions = Readonly<{
  url: string
  /** Created if it does not exist. */
  stream: string
  /** Comes before the type of an event in its subject. */
  prefix: string
  types: readonly string[]
}>

const MAX_AGE = seconds(7 * 24 * 60 * 60)
const STREAM_NOT_FOUND = 10059

export async function openNatsSink({ url, stream, prefix, types }: NatsSinkOptions): Promise<Sink> {
  await using opened = new AsyncDisposableStack()
  const js = new JetStream(opened.use(await openNats({ url })), 1)
  const config = { name: stream, subjects: types.map((type) => `${prefix}${type}`), max_age: nanos(MAX_AGE) }
  await js.api(`STREAM.INFO.${stream}`).catch(async (error: unknown) => {
    if (!(error instanceof JetStreamError && error.code === STREAM_NOT_FOUND)) throw error
    await js.api(`STREAM.CREATE.${stream}`, config)
  })
  const closing = opened.move()
  return {
    async publish(events) {
      const stored = events.map(({ id, type, messageId, body }) =>
        js.publish(`${prefix}${type}`, body, {
          'Nats-Msg-Id': id,
          'Message-Id': messageId,
          'Nats-Expected-Stream': stream,
        }),
      )
      await Promise.all(stored)
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
