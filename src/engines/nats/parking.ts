/**
 * Parked jobs: schedules under the name of their gate, which the broker makes due by itself at the
 * latest. To unpark one is to publish it as a ready job in place of its schedule, in one write that
 * only one of several callers wins.
 *
 * A subject filter finds the jobs of one gate, but not the gates of one provider, so a small stream
 * keeps the names of all gates in use.
 */
import { LANES, type Lane } from '../../domain/message/message.ts'
import { type Millis, seconds } from '../../lib/time.ts'
import type { Gate, Parked } from '../../ports/queue.ts'
import type { JetStream, Listed } from './jetstream.ts'
import type { Jobs } from './jobs.ts'
import { type Names, parseGate, parseJob } from './subjects.ts'

export type ParkingDeps = Readonly<{ js: JetStream; names: Names; jobs: Jobs }>

/** The jobs of one gate, or of one tenant, in one stream. */
type Place = Readonly<{ stream: string; subjectOf: (lane: Lane | '*') => string }>

/** Much shorter than the stream remembers a gate. */
const TELL_EVERY: Millis = seconds(10 * 60)
/** How many schedules are turned into jobs at once. */
const AT_ONCE = 256

export class Parking {
  readonly #deps: ParkingDeps
  readonly #told = new Map<string, number>()

  constructor(deps: ParkingDeps) {
    this.#deps = deps
  }

  /** Must be done before anything is parked there, or nobody would look for it. */
  async tell(gate: Gate): Promise<void> {
    const { js, names } = this.#deps
    const subject = names.gate(gate)
    const now = performance.now()
    if (now - (this.#told.get(subject) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY) return
    await js.publish(subject, '')
    this.#told.set(subject, now)
  }

  async unpark(which: Parked, max: number): Promise<number> {
    const places = await this.#inUse('provider' in which ? await this.#gatesOf(which) : this.#placesOf(which))
    let count = 0
    for (const lane of LANES) {
      if (count >= max || places.length === 0) break
      const listed = await Promise.all(places.map((place) => this.#list(place, lane, max - count)))
      // Each stream counts for itself: only by their times are those of several told apart.
      const longest = listed.flat().toSorted((one, other) => one.at - other.at || one.seq - other.seq)
      count += await this.#free(longest.slice(0, max - count))
    }
    return count
  }

  async #gatesOf({ provider }: Extract<Parked, { provider: unknown }>): Promise<readonly Place[]> {
    const { js, names } = this.#deps
    type Info = { state: { subjects?: Record<string, number> } }
    const { state } = await js.api<Info>(`STREAM.INFO.${names.gates}`, { subjects_filter: names.gate('*') })
    const gates = Object.keys(state.subjects ?? {})
      .map(parseGate)
      .filter((gate) => gate.includes(provider))
    return gates.flatMap((gate) =>
      names.jobs.map((stream, partition) => ({ stream, subjectOf: (lane) => names.parkedIn(partition, gate, lane) })),
    )
  }

  #placesOf({ tenantId }: Extract<Parked, { tenantId: unknown }>): readonly Place[] {
    const { names } = this.#deps
    return [{ stream: names.jobsOf(tenantId), subjectOf: (lane) => names.parkedOf({ lane, tenantId }) }]
  }

  /** Most are empty, and then one question is enough. */
  async #inUse(places: readonly Place[]): Promise<readonly Place[]> {
    const found = await Promise.all(
      places.map(({ stream, subjectOf }) => this.#deps.js.list(stream, subjectOf('*'), 1)),
    )
    return places.filter((_, at) => (found[at]?.length ?? 0) > 0)
  }

  #list({ stream, subjectOf }: Place, lane: Lane, limit: number): Promise<readonly Listed[]> {
    return this.#deps.js.list(stream, subjectOf(lane), limit)
  }

  async #free(listed: readonly Listed[]): Promise<number> {
    const { jobs } = this.#deps
    let count = 0
    for (let start = 0; start < listed.length; start += AT_ONCE) {
      const portion = listed.slice(start, start + AT_ONCE)
      const freed = await Promise.all(
        portion.map(({ subject, seq }) => jobs.unpark(parseJob(subject), gateIn(subject), seq)),
      )
      count += freed.filter(Boolean).length
    }
    return count
  }
}

/** The gate in the subject of a parked job. */
const gateIn = (subject: string): Gate => parseGate(subject.split('.').slice(0, -3).join('.'))
