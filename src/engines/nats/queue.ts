/** The queue of the cluster profile. */
import type { Instant } from '../../lib/time.ts'
import type { Gate, Queue, Taken } from '../../ports/queue.ts'
import { depth } from './depth.ts'
import type { Held, InFlight } from './in-flight.ts'
import type { JetStream } from './jetstream.ts'
import { type Jobs, SHORT } from './jobs.ts'
import { Parking } from './parking.ts'
import type { Names } from './subjects.ts'
import type { LineRegistry } from './tenant-queue-registry.ts'
import type { TenantQueues } from './tenant-queues.ts'

export type QueueDeps = Readonly<{
  js: JetStream
  names: Names
  registry: LineRegistry
  lines: TenantQueues
  hands: InFlight
  jobs: Jobs
}>

export function natsQueue({ js, names, registry, lines, hands, jobs }: QueueDeps): Queue {
  // Only who takes jobs looks at lines; and who could not learn of them asks again.
  let watching: Promise<void> | undefined
  const watch = async (): Promise<void> => {
    watching ??= registry.watch({ onTold: (line) => lines.know(line), onKept: (kept) => lines.expect(kept) })
    await watching.catch((error: unknown) => {
      watching = undefined
      throw error
    })
  }

  const parking = new Parking({ js, names, jobs })

  /** In the time of the broker's schedules; what is due before one would go off is put back as it is. */
  async function putOff(taken: Taken, dueAt: Instant, gate?: Gate): Promise<void> {
    const held = hands.find(taken)
    const wait = jobs.untilDue(dueAt)
    if (held === undefined) return
    if (wait < SHORT) return hands.putBack(held, wait)
    try {
      if (gate !== undefined) await parking.tell(gate)
      await jobs.postpone(held, dueAt, gate)
      hands.finish(held)
    } finally {
      hands.letGo(held)
    }
  }

  return {
    async take(max, signal) {
      await watch()
      return (await lines.take(max, signal)).map(toTaken)
    },

    async done(taken) {
      hands.finish(taken)
    },

    release: (taken, dueAt) => putOff(taken, dueAt),
    park: (taken, gate, until) => putOff(taken, until, gate),
    unpark: (which, max) => parking.unpark(which, max),
    put: (job) => jobs.repair(job),
    depth: () => depth(js, names, (lane) => lines.unclaimed(lane)),
  }
}

const toTaken = ({ job, leaseToken, gate }: Held): Taken => ({
  job,
  leaseToken,
  ...(gate === undefined ? {} : { gate }),
})
