/** Queues again what should be worked on and is not: a job is only a hint, and hints get lost. */
import { later, type Millis, millis } from '../domain/time.ts'
import type { MessageIndex } from '../ports/message-index.ts'
import type { Queue } from '../ports/queue.ts'
import type { Clock } from '../ports/world.ts'
import { toJob } from './record.ts'

export type RecoverDeps = Readonly<{ index: MessageIndex; queue: Queue; clock: Clock }>

const PAGE = 500

/** `patience` is how long a message may stand still before it counts as forgotten. */
export async function recover({ index, queue, clock }: RecoverDeps, patience: Millis): Promise<number> {
  const through = later(clock(), millis(-patience - 1))
  const { states } = await index.neglected({ kind: 'stalled', through, limit: PAGE })
  await Promise.all(states.map((state) => queue.put(toJob(state, 'now'))))
  return states.length
}
