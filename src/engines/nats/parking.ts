/**
 * Parked jobs: schedules on a subject of their gate, which the broker fires at the latest possible time. Unparking
 * publishes the ready job and replaces its schedule in one write, which only one of several callers wins.
 *
 * A subject filter finds the jobs of one gate but not the gates of one provider, so a small stream lists all gates
 * in use.
 */
import { LANES, type Lane } from '../../domain/message/message.ts'
import { type Millis, seconds } from '../../lib/time.ts'
import type { Gate, Parked } from '../../ports/queue.ts'
import type { JetStream, Listed } from './jetstream.ts'
import type { Jobs } from './jobs.ts'
import { type Names, parseGate, parseJob } from './subjects.ts'

export type ParkingDeps = Readonly<{ js: JetStream; names: Names; jobs: Jobs }>

/** Matches the jobs of one gate, or of one tenant, in one stream. */
type JobFilter = Readonly<{ stream: string; subjectOf: (lane: Lane | '*') => string }>

/** Much shorter than the stream keeps a gate. */
const REGISTER_EVERY: Millis = seconds(10 * 60)
/** How many jobs are unparked concurrently. */
const AT_ONCE = 256

export class Parking {
  readonly #deps: ParkingDeps
  readonly #registeredAt = new Map<string, number>()

  constructor(deps: ParkingDeps) {
    this.#deps = deps
  }

  /** Must be called before a job is parked at the gate, or unparking would not find it. */
  async registerGate(gate: Gate): Promise<void> {
    const { js, names } = this.#deps
    const subject = names.gate(gate)
    const now = performance.now()
    if (now - (this.#registeredAt.get(subject) ?? Number.NEGATIVE_INFINITY) < REGISTER_EVERY) return
    await js.publish(subject, '')
    this.#registeredAt.set(subject, now)
  }

  async unpark(which: Parked, max: number): Promise<number> {
    const filters = await this.#nonEmpty('provider' in which ? await this.#gateFilters(which) : this.#filterOf(which))
    let count = 0
    for (const lane of LANES) {
      if (count >= max || filters.length === 0) break
      const listed = await Promise.all(filters.map((filter) => this.#list(filter, lane, max - count)))
      // Sequences compare only within one stream, so jobs of several streams are ordered by time.
      const longest = listed.flat().toSorted((one, other) => one.at - other.at || one.seq - other.seq)
      count += await this.#unparkAll(longest.slice(0, max - count))
    }
    return count
  }

  async #gateFilters({ provider }: Extract<Parked, { provider: unknown }>): Promise<readonly JobFilter[]> {
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

  #filterOf({ tenantId }: Extract<Parked, { tenantId: unknown }>): readonly JobFilter[] {
    const { names } = this.#deps
    return [{ stream: names.jobsOf(tenantId), subjectOf: (lane) => names.parkedOf({ lane, tenantId }) }]
  }

  /** Most are empty, so one request each decides. */
  async #nonEmpty(filters: readonly JobFilter[]): Promise<readonly JobFilter[]> {
    const found = await Promise.all(
      filters.map(({ stream, subjectOf }) => this.#deps.js.list(stream, subjectOf('*'), 1)),
    )
    return filters.filter((_, at) => (found[at]?.length ?? 0) > 0)
  }

  #list({ stream, subjectOf }: JobFilter, lane: Lane, limit: number): Promise<readonly Listed[]> {
    return this.#deps.js.list(stream, subjectOf(lane), limit)
  }

  async #unparkAll(listed: readonly Listed[]): Promise<number> {
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
