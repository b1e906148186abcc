/**
 * The jobs of the queue as records of 64 bytes, which is one cache line, in blocks of one megabyte. Waiting jobs take
 * no objects, and growing copies nothing. Slots are numbered from 1, and the slots of removed jobs are used again.
 */

/** The number of a record. */
export type Slot = number
export const NONE: Slot = 0

/** The state of a record without a job. */
export const FREE = 0
/** The states of a job. */
export const READY = 1
export const DELAYED = 2
export const PARKED = 3
export const TAKEN = 4

/** The first of the four words of the message id. Words 4 to 7 are the two doubles below. */
export const ID = 0
/** The neighbours in a list: the ready jobs of its tenant, the parked jobs of its gate, the leases, or the free records. */
export const NEXT = 8
export const PREVIOUS = 9
/** The neighbours among the parked jobs of its tenant. */
export const NEXT_OF_TENANT = 10
export const PREVIOUS_OF_TENANT = 11
export const HEAP_POSITION = 12
export const TENANT = 13
/** State, lane and gate. */
const KIND = 14
const STATE_MASK = 0b111
const LANE_SHIFT = 3
const LANE_MASK = 0b11 << LANE_SHIFT
const GATE_SHIFT = 5

const WAKE_AT = 2
const LEASE_TOKEN = 3

const WORDS = 16
const DOUBLES = WORDS / 2
const BLOCK_BITS = 14
const BLOCK = 2 ** BLOCK_BITS
const MASK = BLOCK - 1

export class JobRecords {
  readonly #words: Int32Array[] = []
  readonly #doubles: Float64Array[] = []
  #last: Slot = NONE
  #free: Slot = NONE

  get bytes(): number {
    return this.#words.length * BLOCK * WORDS * Int32Array.BYTES_PER_ELEMENT
  }

  allocate(): Slot {
    const slot = this.#free
    if (slot !== NONE) {
      this.#free = this.get(slot, NEXT)
      return slot
    }
    this.#last += 1
    if (this.#last >>> BLOCK_BITS >= this.#words.length) this.#grow()
    return this.#last
  }

  free(slot: Slot): void {
    this.set(slot, KIND, FREE)
    this.set(slot, NEXT, this.#free)
    this.#free = slot
  }

  get(slot: Slot, field: number): number {
    return (this.#words[slot >>> BLOCK_BITS] as Int32Array)[(slot & MASK) * WORDS + field] as number
  }

  set(slot: Slot, field: number, value: number): void {
    ;(this.#words[slot >>> BLOCK_BITS] as Int32Array)[(slot & MASK) * WORDS + field] = value
  }

  /** When a delayed or parked job is due, or when the lease of a taken one expires. */
  wakeAt(slot: Slot): number {
    return this.#double(slot, WAKE_AT)
  }

  setWakeAt(slot: Slot, at: number): void {
    this.#setDouble(slot, WAKE_AT, at)
  }

  leaseToken(slot: Slot): number {
    return this.#double(slot, LEASE_TOKEN)
  }

  setLeaseToken(slot: Slot, token: number): void {
    this.#setDouble(slot, LEASE_TOKEN, token)
  }

  state(slot: Slot): number {
    return this.get(slot, KIND) & STATE_MASK
  }

  setState(slot: Slot, state: number): void {
    this.set(slot, KIND, (this.get(slot, KIND) & ~STATE_MASK) | state)
  }

  lane(slot: Slot): number {
    return (this.get(slot, KIND) & LANE_MASK) >>> LANE_SHIFT
  }

  setLane(slot: Slot, lane: number): void {
    this.set(slot, KIND, (this.get(slot, KIND) & ~LANE_MASK) | (lane << LANE_SHIFT))
  }

  gate(slot: Slot): number {
    return this.get(slot, KIND) >>> GATE_SHIFT
  }

  setGate(slot: Slot, gate: number): void {
    this.set(slot, KIND, (this.get(slot, KIND) & (STATE_MASK | LANE_MASK)) | (gate << GATE_SHIFT))
  }

  #double(slot: Slot, field: number): number {
    return (this.#doubles[slot >>> BLOCK_BITS] as Float64Array)[(slot & MASK) * DOUBLES + field] as number
  }

  #setDouble(slot: Slot, field: number, value: number): void {
    ;(this.#doubles[slot >>> BLOCK_BITS] as Float64Array)[(slot & MASK) * DOUBLES + field] = value
  }

  #grow(): void {
    const words = new Int32Array(BLOCK * WORDS)
    this.#words.push(words)
    this.#doubles.push(new Float64Array(words.buffer))
  }
}
