/** Rounds that one of all processes of a cluster makes: a subject for each, which only who has seen its newest value may change. */
import { type Instant, instant } from '../../domain/time.ts'
import type { Rounds } from '../../ports/rounds.ts'
import { ifLast, type JetStream } from './jetstream.ts'
import type { Names } from './names.ts'

export type RoundsDeps = Readonly<{ js: JetStream; names: Names }>

export const natsRounds = ({ js, names }: RoundsDeps): Rounds => ({
  async begin(name, at, notSince) {
    const subject = names.round(name)
    const last = await js.get(names.rounds, { last_by_subj: subject })
    const begunAt: Instant | undefined = last && instant(Number(Buffer.from(last.data).toString()))
    if (begunAt !== undefined && begunAt > notSince) return undefined
    const seq = await js.publish(subject, String(at), ifLast(last?.seq ?? 0))
    return seq === undefined ? undefined : (begunAt ?? at)
  },
})
