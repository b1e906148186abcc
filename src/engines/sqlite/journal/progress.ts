/**
 * How far the journal is durable, and how far it is filed in the tables: shared memory of the thread that writes the
 * journal and the one that files it.
 */
const DURABLE = 0
const FILED = 1

export class JournalProgress {
  readonly shared: SharedArrayBuffer
  readonly #frames: BigInt64Array

  constructor(shared = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared
    this.#frames = new BigInt64Array(shared)
  }

  /** The newest frame that is on disk. */
  get durable(): number {
    return Number(Atomics.load(this.#frames, DURABLE))
  }

  set durable(frame: number) {
    Atomics.store(this.#frames, DURABLE, BigInt(frame))
  }

  /** The newest frame such that it and all frames before it are in the tables, on disk. */
  get filed(): number {
    return Number(Atomics.load(this.#frames, FILED))
  }

  set filed(frame: number) {
    Atomics.store(this.#frames, FILED, BigInt(frame))
  }
}
