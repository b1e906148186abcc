/** Rounds that one of all processes of a cluster makes: a subject for each, which only who has seen its newest value may change. */
import { type Instant, instant, later, seconds } from '../../lib/time.ts'
import type { RoundLock } from '../../ports/round-lock.ts'
import { ifLast, type JetStream, type Kept } from './jetstream.ts'
import type { Names } from './subjects.ts'

export type RoundLockDeps = Readonly<{ js: JetStream; names: Names }>

/** How far the clocks of two processes may be apart. */
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
 * A process whose clock is ahead would keep all others from beginning a round until their clocks get there: its round
 * counts from when the broker stored it.
 */
function begunAtOf(last: Kept, at: Instant): Instant | undefined {
  const told = instant(Number(Buffer.from(last.data).toString()))
  return [told, last.at].find((begunAt) => begunAt <= later(at, SKEW))
}
