/**
 * Waits for JetStream. A node of a cluster reports healthy as soon as there is a leader; the leader places replicas on
 * a node only once it knows the resources of that node, which takes longer on a busy machine.
 */
import { JetStreamApiError, jetstreamManager } from '@nats-io/jetstream'
import { type ConnectionOptions, connect, NoRespondersError, RequestError, TimeoutError } from '@nats-io/transport-node'
import { START_WITHIN_MS, until } from './until.ts'

/** No suitable peers, JetStream not available, not the leader, insufficient resources. */
const NOT_READY: ReadonlySet<number> = new Set([10_005, 10_008, 10_009, 10_023])

/** What `ask` resolves to, once JetStream is ready to answer it. `ask` may be called several times. */
export const untilJetStream = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
  until('JetStream to be ready', () => ask().catch(ignoreNotReady), { withinMs: START_WITHIN_MS })

function ignoreNotReady(error: unknown): undefined {
  const isNotReady =
    error instanceof TimeoutError ||
    error instanceof NoRespondersError ||
    (error instanceof RequestError && error.isNoResponders()) ||
    (error instanceof JetStreamApiError && NOT_READY.has(error.code))
  if (!isNotReady) throw error
}

/** Waits until a stream with this many replicas can be created, by creating one and deleting it. */
export async function untilReplicated(options: ConnectionOptions, replicas: number): Promise<void> {
  const connection = await connect(options)
  try {
    const { streams } = await untilJetStream(() => jetstreamManager(connection))
    const probe = { name: 'READINESS_PROBE', subjects: ['readiness-probe'], num_replicas: replicas }
    await untilJetStream(() => streams.add(probe))
    await untilJetStream(() => streams.delete(probe.name).catch(ignoreMissing))
  } finally {
    await connection.close()
  }
}

/** A delete whose answer came too late has been done when it is repeated. */
function ignoreMissing(error: unknown): true {
  if (error instanceof JetStreamApiError && error.status === 404) return true
  throw error
}
