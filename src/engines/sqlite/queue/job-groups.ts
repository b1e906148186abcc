/** The jobs of each tenant, and those parked at each gate. A tenant or a gate without jobs takes no memory. */
import type { TenantId } from '../../../domain/ids.ts'
import { LANES, type Lane } from '../../../domain/message/message.ts'
import type { Gate, Job, Parked } from '../../../ports/queue.ts'
import { InternTable, NO_ENTRY } from './intern-table.ts'
import { type JobRecords, type Slot, TAKEN, TENANT } from './job-records.ts'
import { emptyList, type SlotList } from './slot-list.ts'

/** The jobs of a tenant in one lane. `counts` are by state. */
export type TenantJobs = Readonly<{ tenantId: TenantId; ready: SlotList; parked: SlotList; counts: number[] }>
/** The jobs parked at a gate, by lane. */
export type GateJobs = Readonly<{ gate: Gate; parked: Readonly<Record<Lane, SlotList>> }>

const LANE_NUMBERS: Readonly<Record<Lane, number>> = { otp: 0, transactional: 1, bulk: 2 }

export class JobGroups {
  readonly #records: JobRecords
  readonly #tenants: Readonly<Record<Lane, InternTable<TenantId, TenantJobs>>> = {
    otp: new InternTable(toTenantJobs),
    transactional: new InternTable(toTenantJobs),
    bulk: new InternTable(toTenantJobs),
  }
  /** By the names of their providers, separated by spaces. */
  readonly #gates = new InternTable<string, GateJobs>(toGateJobs)

  constructor(records: JobRecords) {
    this.#records = records
  }

  /** How many gates there are, and how many tenants in each lane. */
  get size(): number {
    return LANES.reduce((sum, lane) => sum + this.#tenants[lane].size, this.#gates.size)
  }

  join(slot: Slot, { lane, tenantId }: Job): void {
    this.#records.setLane(slot, LANE_NUMBERS[lane])
    this.#records.set(slot, TENANT, this.#tenants[lane].acquire(tenantId))
  }

  /** Changes where the job is or was parked. */
  setGate(slot: Slot, gate: Gate | undefined): void {
    this.#gates.release(this.#records.gate(slot))
    this.#records.setGate(slot, gate === undefined ? NO_ENTRY : this.#gates.acquire(gate.join(' ')))
  }

  leave(slot: Slot): void {
    this.setGate(slot, undefined)
    this.#tenants[this.laneOf(slot)].release(this.#records.get(slot, TENANT))
  }

  laneOf(slot: Slot): Lane {
    return LANES[this.#records.lane(slot)] as Lane
  }

  tenantOf(slot: Slot): TenantJobs {
    return this.#tenants[this.laneOf(slot)].get(this.#records.get(slot, TENANT))
  }

  gateOf(slot: Slot): GateJobs | undefined {
    const gate = this.#records.gate(slot)
    return gate === NO_ENTRY ? undefined : this.#gates.get(gate)
  }

  /** The number of jobs of a tenant, in whatever state. */
  countOf(tenantId: TenantId): number {
    const { otp, transactional, bulk } = this.#tenants
    return otp.references(tenantId) + transactional.references(tenantId) + bulk.references(tenantId)
  }

  find(lane: Lane, tenantId: TenantId): TenantJobs | undefined {
    return this.#tenants[lane].find(tenantId)
  }

  /** The lists that together have the parked jobs in question. */
  parked(which: Parked, lane: Lane): readonly SlotList[] {
    if ('tenantId' in which) return [this.find(lane, which.tenantId)?.parked ?? emptyList()]
    return this.#gates
      .items()
      .filter(({ gate }) => gate.includes(which.provider))
      .map(({ parked }) => parked[lane])
      .toArray()
  }
}

function toTenantJobs(tenantId: TenantId): TenantJobs {
  return { tenantId, ready: emptyList(), parked: emptyList(), counts: Array(TAKEN + 1).fill(0) }
}

function toGateJobs(key: string): GateJobs {
  const gate = key.split(' ') as readonly string[] as Gate
  return { gate, parked: { otp: emptyList(), transactional: emptyList(), bulk: emptyList() } }
}
