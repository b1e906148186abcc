/** Queue depth per lane, counted at the broker because all processes share the queues. */
import type { TenantId } from '../../domain/ids.ts'
import { LANES, type Lane } from '../../domain/message/message.ts'
import type { Depth } from '../../ports/queue.ts'
import { type JetStream, JetStreamError } from './jetstream.ts'
import { consumerOf, laneOf, type Names, type TenantLane } from './subjects.ts'

type Consumers = Readonly<{ total: number; consumers?: readonly { name: string; num_ack_pending: number }[] }>

/** `unclaimed` counts jobs that the broker has delivered to this process and that no worker has taken. */
export async function depth(js: JetStream, names: Names, unclaimed: (lane: Lane) => number): Promise<readonly Depth[]> {
  const taken = await Promise.all(names.jobs.map((stream) => unacknowledged(js, stream)))
  return Promise.all(
    LANES.map(async (lane) => {
      const [stored, delayed, parked] = await Promise.all([
        countAll(js, names, (partition) => names.readyIn(partition, lane)),
        countAll(js, names, (partition) => names.scheduledIn(partition, lane)),
        countAll(js, names, (partition) => names.parkedIn(partition, '*', lane)),
      ])
      const handedOut = sum(taken.map((counts) => counts.get(lane) ?? 0))
      return toDepth(lane, { stored, delayed, parked }, handedOut - unclaimed(lane))
    }),
  )
}

/** The depth of one tenant's queues: four requests a lane, however many jobs and tenants there are. */
export function depthOf(
  js: JetStream,
  names: Names,
  tenantId: TenantId,
  unclaimed: (key: TenantLane) => number,
): Promise<readonly Depth[]> {
  const stream = names.jobsOf(tenantId)
  return Promise.all(
    LANES.map(async (lane) => {
      const key = { lane, tenantId }
      const [stored, delayed, parked, handedOut] = await Promise.all([
        js.count(stream, names.jobsIn(key)),
        js.count(stream, names.scheduledOf(key)),
        js.count(stream, names.parkedOf(key)),
        unacknowledgedOf(js, stream, key),
      ])
      return toDepth(lane, { stored, delayed, parked }, handedOut - unclaimed(key))
    }),
  )
}

type Counted = Readonly<{ stored: number; delayed: number; parked: number }>

/** A job stays in its stream until it is acknowledged. */
function toDepth(lane: Lane, { stored, delayed, parked }: Counted, inFlight: number): Depth {
  const taken = Math.max(inFlight, 0)
  return { lane, ready: Math.max(stored - taken, 0), delayed, parked, taken }
}

const NO_CONSUMER = 10014

/** Nobody has taken a job from a queue without a consumer. */
async function unacknowledgedOf(js: JetStream, stream: string, key: TenantLane): Promise<number> {
  type Body = { num_ack_pending: number }
  try {
    return (await js.api<Body>(`CONSUMER.INFO.${stream}.${consumerOf(key)}`)).num_ack_pending
  } catch (error) {
    if (error instanceof JetStreamError && error.code === NO_CONSUMER) return 0
    throw error
  }
}

async function countAll(js: JetStream, names: Names, subjectIn: (partition: number) => string): Promise<number> {
  return sum(await Promise.all(names.jobs.map((stream, partition) => js.count(stream, subjectIn(partition)))))
}

/** Delivered and unacknowledged jobs per lane. */
async function unacknowledged(js: JetStream, stream: string): Promise<ReadonlyMap<Lane, number>> {
  const counts = new Map<Lane, number>()
  for (let offset = 0; ; ) {
    const { total, consumers } = await js.api<Consumers>(`CONSUMER.LIST.${stream}`, { offset })
    for (const { name, num_ack_pending } of consumers ?? []) {
      const lane = laneOf(name)
      counts.set(lane, (counts.get(lane) ?? 0) + num_ack_pending)
    }
    offset += consumers?.length ?? 0
    if ((consumers?.length ?? 0) === 0 || offset >= total) return counts
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
