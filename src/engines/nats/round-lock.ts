/** Maintenance rounds that one process of the cluster runs: one subject per round, claimed by a compare-and-swap. */
import { type Instant, instant, later, seconds } from '../../lib/time.ts'
import type { RoundLock } from '../../ports/round-lock.ts'
import { ifLast, type JetStream, type Stored } from './jetstream.ts'
import type { Names } from './subjects.ts'

export type RoundLockDeps = Readonly<{ js: JetStream; names: Names }>

/** Tolerated clock difference between two processes. */
const SKEW = seconds(5)

export const natsRoundLock = ({ js, names }: RoundLockDeps): RoundLock => ({
  async begin(name, at, notSince) {
    const subject = names.round(name)
    const last = await js.get(names.rounds, { last_by_subj: subject })
    const begunAt = last && begunAtOf(last, at)
    if (begunAt !== undefined && begunAt > notSince) return undefined
    const seq = await js.publish(subject, String(at), ifLast(last?.seq ?? 0))
    return seq === undefined ? undefined : (begunAt ?? (last === undefined ? at : notSince))
  },
})

/**
 * A process whose clock is ahead would block all others until their clocks catch up: its round counts from when the
 * broker stored it.
 */
function begunAtOf(last: Stored, at: Instant): Instant | undefined {
  const claimed = instant(Number(Buffer.from(last.data).toString()))
  return [claimed, last.at].find((begunAt) => begunAt <= later(at, SKEW))
}
