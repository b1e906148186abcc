/**
 * Integration events on the broker: a stream of their own, on subjects named like the events. Those of messages are
 * derived from the log, so what was not published can be published later. The broker drops an event that is published
 * twice within two minutes.
 */
import { toIntegrationEvents } from '../../domain/message/integration-events.ts'
import { CHANNELS } from '../../domain/message/message.ts'
import { acceptSpanOf, toTraceparent } from '../../domain/message/trace.ts'
import { type Instant, type Millis, seconds } from '../../lib/time.ts'
import type { PublishedEvent } from '../../ports/engines.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { JetStream, Stored } from './jetstream.ts'
import { type Beginning, openSource } from './stream-source.ts'
import { ensureStream, nanos } from './streams.ts'
import type { Names } from './subjects.ts'
import { decodeStored, toRecorded } from './wire.ts'

export type EventStreamOptions = Readonly<{
  /** Prefix of every subject; for tests. */
  subjectPrefix?: string
  /** How long the broker keeps published events. */
  maxAge?: Millis
}>
export type ReplayOptions = EventStreamOptions &
  Readonly<{ since: Instant; onProgress: (done: number, total: number) => void }>
export type PublishingDeps = Readonly<{ js: JetStream; names: Names; replicas: number }>

/** Events of the log that are published at a time. */
export const BATCH = 256
const MAX_AGE = seconds(7 * 24 * 60 * 60)
const DUPLICATE_WINDOW = seconds(120)

export async function ensureEvents(deps: PublishingDeps, options: EventStreamOptions): Promise<void> {
  const { subjectPrefix = '', maxAge = MAX_AGE } = options
  await ensureStream(deps.js, {
    name: deps.names.events,
    subjects: [
      ...CHANNELS.flatMap((channel) => ['events', 'outbound'].map((kind) => `${channel}.${kind}.>`)),
      'provider.breaker.>',
    ].map((subject) => `${subjectPrefix}${subject}`),
    num_replicas: deps.replicas,
    storage: 'file',
    max_age: nanos(maxAge),
    duplicate_window: nanos(Math.min(DUPLICATE_WINDOW, maxAge)),
  })
}

/** Concurrently, in order; resolves once all are stored. */
export async function publishEvents(
  js: JetStream,
  stored: readonly Stored[],
  { subjectPrefix = '' }: EventStreamOptions,
): Promise<void> {
  const published = stored.flatMap((one) => {
    const { event } = toRecorded(decodeStored(one))
    const { state } = event
    return toIntegrationEvents(event).map(({ name, data }) =>
      js.publish(`${subjectPrefix}${name}`, JSON.stringify(data), {
        'Nats-Msg-Id': `${event.id}.${name}`,
        traceparent: toTraceparent(state, acceptSpanOf(state.id)),
      }),
    )
  })
  await Promise.all(published)
}

/** One that is not about a message. Rare, so it is published whether anybody wants it or not. */
export async function publishEvent(
  js: Pick<JetStream, 'publish'>,
  { id, name, data }: PublishedEvent,
  { subjectPrefix = '' }: EventStreamOptions,
): Promise<void> {
  await js.publish(`${subjectPrefix}${name}`, JSON.stringify(data), { 'Nats-Msg-Id': `${id}.${name}` })
}

/** Publishes what the log has from there on and up to a sequence. */
export async function publishLog(
  { js, names }: Pick<PublishingDeps, 'js' | 'names'>,
  { from, through }: Readonly<{ from: Beginning; through: number }>,
  options: EventStreamOptions,
): Promise<void> {
  await using source = await openSource(js, names.log, from)
  const { signal } = new AbortController()
  for (let at = 0; at < through && source.pending > 0; ) {
    const page = await source.next(BATCH, signal)
    const last = page.at(-1)
    if (last === undefined) throw new Unavailable('the log broke off before its events were published')
    const wanted = page.filter(({ seq }) => seq <= through)
    await publishEvents(js, wanted, options)
    at = last.seq
  }
}

/** Publishes everything recorded since then and up to now. Returns how many events of the log those were. */
export async function replayEvents(deps: PublishingDeps, options: ReplayOptions): Promise<number> {
  await ensureEvents(deps, options)
  const { js, names } = deps
  await using source = await openSource(js, names.log, { since: options.since })
  const total = source.pending
  const { signal } = new AbortController()
  for (let done = 0; done < total; ) {
    const page = await source.next(Math.min(BATCH, total - done), signal)
    if (page.length === 0) throw new Error(`the broker broke off after ${done} of ${total} events: run it again`)
    await publishEvents(js, page, options)
    done += page.length
    options.onProgress(done, total)
  }
  return total
}
