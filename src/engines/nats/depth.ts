/** Queue depth per lane, counted at the broker because all processes share the queues. */
import { LANES, type Lane } from '../../domain/message/message.ts'
import type { Depth } from '../../ports/queue.ts'
import type { JetStream } from './jetstream.ts'
import { laneOf, type Names } from './subjects.ts'

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
      const inFlight = Math.max(handedOut - unclaimed(lane), 0)
      return { lane, ready: Math.max(stored - inFlight, 0), delayed, parked, taken: inFlight }
    }),
  )
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
