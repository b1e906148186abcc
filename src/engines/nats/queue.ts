/** The job queue of the cluster profile. */
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Instant } from '../../lib/time.ts'
import type { Gate, Queue, Taken } from '../../ports/queue.ts'
import { depth, depthOf } from './depth.ts'
import type { Handover } from './handover.ts'
import { type InFlight, isStored, type LeasedJob } from './in-flight.ts'
import type { JetStream } from './jetstream.ts'
import { type Jobs, SHORT } from './jobs.ts'
import { Parking } from './parking.ts'
import type { Names } from './subjects.ts'
import type { TenantQueueRegistry } from './tenant-queue-registry.ts'
import type { TenantQueues } from './tenant-queues.ts'

export type QueueDeps = Readonly<{
  js: JetStream
  names: Names
  registry: TenantQueueRegistry
  queues: TenantQueues
  inFlight: InFlight
  jobs: Jobs
  handover: Handover
}>

export function natsQueue({ js, names, registry, queues, inFlight, jobs, handover }: QueueDeps): Queue {
  // Only a process that takes jobs watches queues. After an error the next call tries again.
  let watching: Promise<void> | undefined
  const watch = async (): Promise<void> => {
    handover.serve((messages) => queues.adopt(messages))
    watching ??= registry.watch({ onAnnounced: (key) => queues.open(key), onStored: (keys) => queues.watchIdle(keys) })
    await watching.catch((error: unknown) => {
      watching = undefined
      throw error
    })
  }

  const parking = new Parking({ js, names, jobs })

  /** Waits by a schedule of the broker; a delay too short for one returns the job with that delay. */
  async function postpone(taken: Taken, dueAt: Instant, gate?: Gate): Promise<void> {
    const leased = inFlight.find(taken)
    const wait = jobs.untilDue(dueAt)
    if (leased === undefined) return
    if (wait < SHORT && isStored(leased)) return inFlight.nak(leased, wait)
    try {
      if (gate !== undefined) await parking.registerGate(gate)
      await jobs.postpone(leased, dueAt, gate)
      inFlight.ack(leased)
    } finally {
      inFlight.forget(leased)
    }
  }

  return {
    async take(max, signal) {
      await watch()
      return (await queues.take(max, signal)).map(toTaken)
    },

    async done(taken) {
      inFlight.ack(taken)
    },

    release: (taken, dueAt) => postpone(taken, dueAt),
    park: (taken, gate, until) => postpone(taken, until, gate),
    unpark: (which, max) => parking.unpark(which, max),
    put: (job) => jobs.repair(job),
    depth: (tenantId) =>
      tenantId === undefined
        ? depth(js, names, (lane) => queues.unclaimed(lane))
        : depthOf(js, names, tenantId, (key) => queues.unclaimedOf(key)),
  }
}

const toTaken = ({ job, leaseToken, gate }: LeasedJob): Taken => omitUndefined({ job, leaseToken, gate })
