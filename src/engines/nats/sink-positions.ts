/** The positions of sinks and the claims on them: one subject per sink, changed by a compare-and-swap. */
import { type Instant, later, type Millis, millis } from '../../lib/time.ts'
import type { Position } from '../../ports/event-log.ts'
import type { SinkClaim, SinkPositions } from '../../ports/sink-positions.ts'
import { ifLast, type JetStream, type Stored } from './jetstream.ts'
import type { Names } from './subjects.ts'

export type SinkPositionsDeps = Readonly<{ js: JetStream; names: Names; tip: () => Promise<Position> }>

type Held = Readonly<{ position: Position; owner: string; until: Instant; lease: Millis }>

export function natsSinkPositions({ js, names, tip }: SinkPositionsDeps): SinkPositions {
  const find = ({ sink }: SinkClaim) => js.get(names.rounds, { last_by_subj: names.sinkPosition(sink) })
  const store = ({ sink, owner, now, until }: SinkClaim, position: Position, last: Stored | undefined) => {
    const held: Held = { position, owner, until, lease: millis(until - now) }
    return js.publish(names.sinkPosition(sink), JSON.stringify(held), ifLast(last?.seq ?? 0))
  }
  return {
    async claim(claim) {
      const last = await find(claim)
      const held = last && toHeld(last)
      if (last !== undefined && held !== undefined && isTaken(held, last.at, claim)) return undefined
      // A log that was restored from a backup ends earlier.
      const end = await tip()
      const position = held === undefined || held.position > end ? end : held.position
      return (await store(claim, position, last)) === undefined ? undefined : position
    },

    async advance(claim, position) {
      const last = await find(claim)
      if (last === undefined || toHeld(last).owner !== claim.owner) return false
      return (await store(claim, position, last)) !== undefined
    },
  }
}

const toHeld = ({ data }: Stored): Held => JSON.parse(Buffer.from(data).toString()) as Held

/** The claim of a process whose clock is ahead would last too long: it counts from when the broker stored it. */
const isTaken = ({ owner, until, lease }: Held, storedAt: Instant, claim: SinkClaim): boolean =>
  owner !== claim.owner && claim.now < Math.min(until, later(storedAt, lease))
