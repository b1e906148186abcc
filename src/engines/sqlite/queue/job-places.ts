/**
 * Where each job waits. It is counted in its lane and for its tenant, and depending on its state it is in:
 *
 * | state   | place                                                     |
 * |---------|-----------------------------------------------------------|
 * | ready   | the ready jobs of its tenant and lane                     |
 * | delayed | the heap                                                  |
 * | parked  | the heap, and the parked jobs of its gate and its tenant  |
 * | taken   | the leases, which expire in the order in which they began |
 */
import type { TenantId } from '../../../domain/ids.ts'
import { fairScheduler } from '../../../domain/message/fair-scheduler.ts'
import { LANES, type Lane } from '../../../domain/message/message.ts'
import { type Depth, LANE_WEIGHTS } from '../../../ports/queue.ts'
import { DueHeap } from './due-heap.ts'
import type { GateJobs, JobGroups } from './job-groups.ts'
import {
  DELAYED,
  type JobRecords,
  NEXT,
  NEXT_OF_TENANT,
  NONE,
  PARKED,
  PREVIOUS,
  PREVIOUS_OF_TENANT,
  READY,
  type Slot,
  TAKEN,
} from './job-records.ts'
import { emptyList, SlotLinks, type SlotList } from './slot-list.ts'

export class JobPlaces {
  readonly #records: JobRecords
  readonly #groups: JobGroups
  readonly #heap: DueHeap
  readonly #links: SlotLinks
  readonly #tenantLinks: SlotLinks
  readonly #leases = emptyList()
  readonly #turns = fairScheduler(LANE_WEIGHTS)
  readonly #counts: Readonly<Record<Lane, Int32Array>> = {
    otp: new Int32Array(TAKEN + 1),
    transactional: new Int32Array(TAKEN + 1),
    bulk: new Int32Array(TAKEN + 1),
  }

  constructor(records: JobRecords, groups: JobGroups) {
    this.#records = records
    this.#groups = groups
    this.#heap = new DueHeap(records)
    this.#links = new SlotLinks(records, NEXT, PREVIOUS)
    this.#tenantLinks = new SlotLinks(records, NEXT_OF_TENANT, PREVIOUS_OF_TENANT)
  }

  get bytes(): number {
    return this.#heap.bytes
  }

  /** The first job of the tenant whose turn it is, or `NONE`. The caller takes it. */
  nextReady(): Slot {
    const turn = this.#turns.next()
    return turn === undefined ? NONE : (this.#groups.find(turn.lane, turn.tenantId)?.ready.first ?? NONE)
  }

  /** The delayed or parked job that is due next, or `NONE`. */
  nextDue(): Slot {
    return this.#heap.first()
  }

  /** The lease that expires next, or `NONE`. */
  nextLease(): Slot {
    return this.#leases.first
  }

  /** The lease that expires after this one, or `NONE`. */
  leaseAfter(slot: Slot): Slot {
    return this.#links.next(slot)
  }

  leaseBefore(slot: Slot): Slot {
    return this.#links.previous(slot)
  }

  hasReady(): boolean {
    const { otp, transactional, bulk } = this.#counts
    return count(otp, READY) + count(transactional, READY) + count(bulk, READY) > 0
  }

  /** Of all tenants, or of one. */
  depth(tenantId?: TenantId): readonly Depth[] {
    return LANES.map((lane) => {
      const counts = tenantId === undefined ? this.#counts[lane] : this.#groups.find(lane, tenantId)?.counts
      const of = (state: number): number => (counts === undefined ? 0 : count(counts, state))
      return { lane, ready: of(READY), delayed: of(DELAYED), parked: of(PARKED), taken: of(TAKEN) }
    })
  }

  move(slot: Slot, state: number): void {
    this.leave(slot)
    this.enter(slot, state)
  }

  enter(slot: Slot, state: number): void {
    this.#records.setState(slot, state)
    this.#count(slot, state, 1)
    if (state === READY) this.#links.append(this.#readyWith(slot), slot)
    else if (state === TAKEN) this.#links.append(this.#leases, slot)
    else this.#heap.add(slot)
    if (state === PARKED) {
      this.#links.append(this.#parkedAtGate(slot), slot)
      this.#tenantLinks.append(this.#groups.tenantOf(slot).parked, slot)
    }
  }

  /** Makes a job ready, before all others of its tenant and lane. */
  enterFirst(slot: Slot): void {
    this.#records.setState(slot, READY)
    this.#count(slot, READY, 1)
    this.#links.prepend(this.#readyWith(slot), slot)
  }

  leave(slot: Slot): void {
    const state = this.#records.state(slot)
    this.#count(slot, state, -1)
    if (state === READY) this.#leaveReady(slot)
    else if (state === TAKEN) this.#links.remove(this.#leases, slot)
    else this.#heap.remove(slot)
    if (state === PARKED) {
      this.#links.remove(this.#parkedAtGate(slot), slot)
      this.#tenantLinks.remove(this.#groups.tenantOf(slot).parked, slot)
    }
  }

  /** The list that a job joins when it becomes ready: from then on its tenant has turns. */
  #readyWith(slot: Slot): SlotList {
    const { tenantId, ready } = this.#groups.tenantOf(slot)
    if (ready.first === NONE) this.#turns.add(this.#groups.laneOf(slot), tenantId)
    return ready
  }

  #leaveReady(slot: Slot): void {
    const { tenantId, ready } = this.#groups.tenantOf(slot)
    this.#links.remove(ready, slot)
    if (ready.first === NONE) this.#turns.remove(this.#groups.laneOf(slot), tenantId)
  }

  #parkedAtGate(slot: Slot): SlotList {
    return (this.#groups.gateOf(slot) as GateJobs).parked[this.#groups.laneOf(slot)]
  }

  #count(slot: Slot, state: number, by: number): void {
    add(this.#counts[this.#groups.laneOf(slot)], state, by)
    add(this.#groups.tenantOf(slot).counts, state, by)
  }
}

type Counts = Int32Array | number[]

const count = (counts: Counts, state: number): number => counts[state] as number

function add(counts: Counts, state: number, by: number): void {
  counts[state] = count(counts, state) + by
}
