/** The queue of the cluster profile. */
import type { Queue, Taken } from '../../ports/queue.ts'
import { depth } from './depth.ts'
import type { Hands, Held } from './hands.ts'
import type { JetStream } from './jetstream.ts'
import { type Jobs, SHORT } from './jobs.ts'
import type { LineRegistry } from './line-registry.ts'
import type { Lines } from './lines.ts'
import type { Names } from './names.ts'

export type QueueDeps = Readonly<{
  js: JetStream
  names: Names
  registry: LineRegistry
  lines: Lines
  hands: Hands
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

  return {
    async take(max, signal) {
      await watch()
      return (await lines.take(max, signal)).map(toTaken)
    },

    async done(taken) {
      hands.finish(taken)
    },

    async release(taken, dueAt) {
      const held = hands.find(taken)
      const wait = jobs.untilDue(dueAt)
      if (held === undefined) return
      if (wait < SHORT) return hands.putBack(held, wait)
      try {
        await jobs.postpone(held, dueAt)
        hands.finish(held)
      } finally {
        hands.letGo(held)
      }
    },

    put: (job) => jobs.repair(job),
    depth: () => depth(js, names, (lane) => lines.unclaimed(lane)),
  }
}

const toTaken = ({ job, turn }: Held): Taken => ({ job, turn })
