/**
 * The jobs of the queue, at most one per message. A job gets a new lease token whenever it is queued, released, parked
 * or lost by its worker, so that a worker with an old one cannot change it.
 *
 * Every method is O(1), or O(log n) for delayed and parked jobs.
 */
import type { TenantId } from '../../../domain/ids.ts'
import { LANES } from '../../../domain/message/message.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type Instant, seconds } from '../../../lib/time.ts'
import type { Depth, Gate, Job, Parked, Taken } from '../../../ports/queue.ts'
import { JobGroups } from './job-groups.ts'
import { JobPlaces } from './job-places.ts'
import { DELAYED, FREE, JobRecords, NONE, PARKED, READY, type Slot, TAKEN } from './job-records.ts'
import type { SlotList } from './slot-list.ts'
import { SlotsById } from './slots-by-id.ts'

/** A worker that takes longer is lost. */
const LEASE = seconds(120)
/** How many jobs become ready at a time, so that many of them do not block the process. */
const PORTION = 500

export class JobSlots {
  readonly #records = new JobRecords()
  readonly #slots = new SlotsById(this.#records)
  readonly #groups = new JobGroups(this.#records)
  readonly #places = new JobPlaces(this.#records, this.#groups)
  readonly #clock: Clock
  #lastLeaseToken = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Without the tenants and gates, of which there are few. */
  get bytes(): number {
    return this.#records.bytes + this.#slots.bytes + this.#places.bytes
  }

  get groups(): number {
    return this.#groups.size
  }

  countOf(tenantId: TenantId): number {
    return this.#groups.countOf(tenantId)
  }

  replace(job: Job): void {
    this.#add(this.#slots.claim(job.messageId), job)
  }

  /** Returns whether the message had none. */
  put(job: Job): boolean {
    const slot = this.#slots.claim(job.messageId)
    if (this.#records.state(slot) !== FREE) return false
    this.#add(slot, job)
    return true
  }

  finish(taken: Taken): void {
    const slot = this.#current(taken)
    if (slot === NONE) return
    this.#places.leave(slot)
    this.#groups.leave(slot)
    this.#slots.remove(slot)
  }

  /** With a gate the job is parked there. Does nothing when a newer job has replaced it. */
  release(taken: Taken, dueAt: Instant, gate?: Gate): void {
    const slot = this.#current(taken)
    if (slot === NONE) return
    this.#places.leave(slot)
    this.#groups.setGate(slot, gate)
    this.#place(slot, gate === undefined ? DELAYED : PARKED, dueAt)
  }

  unpark(which: Parked, max: number): number {
    let count = 0
    for (const lane of LANES) {
      const lists = this.#groups.parked(which, lane)
      while (count < max) {
        const slot = this.#longestParked(lists)
        if (slot === NONE) break
        this.#places.move(slot, READY)
        count += 1
      }
    }
    return count
  }

  /** Makes due jobs, and those whose lease expired, ready; of each a portion. */
  promote(now: Instant): void {
    for (let count = 0; count < PORTION; count += 1) {
      const slot = this.#places.nextDue()
      if (slot === NONE || this.#records.wakeAt(slot) > now) break
      this.#places.move(slot, READY)
    }
    this.#reclaim(now)
  }

  take(max: number, now: Instant): readonly Taken[] {
    const all: Taken[] = []
    while (all.length < max) {
      const slot = this.#places.nextReady()
      if (slot === NONE) break
      this.#records.setWakeAt(slot, now + LEASE)
      this.#places.move(slot, TAKEN)
      all.push(this.#toTaken(slot))
    }
    return all
  }

  hasReady(): boolean {
    return this.#places.hasReady()
  }

  /** When `promote` next has work; infinity if nothing waits. */
  nextWake(): number {
    return Math.min(this.#wakeAt(this.#places.nextDue()), this.#wakeAt(this.#places.nextLease()))
  }

  depth(tenantId?: TenantId): readonly Depth[] {
    return this.#places.depth(tenantId)
  }

  #add(slot: Slot, job: Job): void {
    if (this.#records.state(slot) !== FREE) {
      this.#places.leave(slot)
      this.#groups.leave(slot)
    }
    this.#groups.join(slot, job)
    this.#place(slot, DELAYED, job.dueAt)
  }

  /** A job that is due is ready; another one waits in the given state. */
  #place(slot: Slot, state: number, dueAt: Instant | undefined): void {
    this.#renewToken(slot)
    const isDue = dueAt === undefined || dueAt <= this.#clock()
    if (!isDue) this.#records.setWakeAt(slot, dueAt)
    this.#places.enter(slot, isDue ? READY : state)
  }

  #renewToken(slot: Slot): void {
    this.#lastLeaseToken += 1
    this.#records.setLeaseToken(slot, this.#lastLeaseToken)
  }

  /** The slot of the taken job, unless a newer one has replaced it. */
  #current({ job, leaseToken }: Taken): Slot {
    const slot = this.#slots.find(job.messageId)
    return slot !== NONE && this.#records.leaseToken(slot) === leaseToken ? slot : NONE
  }

  /** Jobs whose lease expired go back to the head of their queues, in the order in which they were taken. */
  #reclaim(now: Instant): void {
    let last = NONE
    let next = this.#places.nextLease()
    for (let count = 0; count < PORTION && this.#wakeAt(next) <= now; count += 1) {
      last = next
      next = this.#places.leaseAfter(next)
    }
    while (last !== NONE) {
      const before = this.#places.leaseBefore(last)
      this.#places.leave(last)
      this.#renewToken(last)
      this.#places.enterFirst(last)
      last = before
    }
  }

  #wakeAt(slot: Slot): number {
    return slot === NONE ? Number.POSITIVE_INFINITY : this.#records.wakeAt(slot)
  }

  #longestParked(lists: readonly SlotList[]): Slot {
    let longest = NONE
    for (const { first } of lists) {
      if (first === NONE) continue
      if (longest === NONE || this.#records.leaseToken(first) < this.#records.leaseToken(longest)) longest = first
    }
    return longest
  }

  #toTaken(slot: Slot): Taken {
    const { tenantId } = this.#groups.tenantOf(slot)
    const gate = this.#groups.gateOf(slot)?.gate
    const job = { messageId: this.#slots.idOf(slot), tenantId, lane: this.#groups.laneOf(slot) }
    const leaseToken = this.#records.leaseToken(slot)
    return gate === undefined ? { job, leaseToken } : { job, leaseToken, gate }
  }
}
