/** How much stands in each lane. Counted at the broker, for every process shares the lines. */
import { LANES, type Lane } from '../../domain/message/message.ts'
import type { Depth } from '../../ports/queue.ts'
import type { JetStream } from './jetstream.ts'
import { laneOf, type Names } from './subjects.ts'

type Consumers = Readonly<{ total: number; consumers?: readonly { name: string; num_ack_pending: number }[] }>

/** `unclaimed` are those that the broker counts as handed out to us, and that nobody has taken. */
export async function depth(js: JetStream, names: Names, unclaimed: (lane: Lane) => number): Promise<readonly Depth[]> {
  const taken = await Promise.all(names.jobs.map((stream) => inHand(js, stream)))
  return Promise.all(
    LANES.map(async (lane) => {
      const [standing, delayed, parked] = await Promise.all([
        countAll(js, names, (partition) => names.readyIn(partition, lane)),
        countAll(js, names, (partition) => names.scheduledIn(partition, lane)),
        countAll(js, names, (partition) => names.parkedIn(partition, '*', lane)),
      ])
      const handedOut = sum(taken.map((counts) => counts.get(lane) ?? 0))
      const inFlight = Math.max(handedOut - unclaimed(lane), 0)
      return { lane, ready: Math.max(standing - inFlight, 0), delayed, parked, taken: inFlight }
    }),
  )
}

async function countAll(js: JetStream, names: Names, subjectIn: (partition: number) => string): Promise<number> {
  return sum(await Promise.all(names.jobs.map((stream, partition) => js.count(stream, subjectIn(partition)))))
}

/** Of each lane, the jobs that are handed out and not given up. */
async function inHand(js: JetStream, stream: string): Promise<ReadonlyMap<Lane, number>> {
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
