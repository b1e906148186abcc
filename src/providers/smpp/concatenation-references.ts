/**
 * The reference numbers that make a phone join the parts of a long message. They have 8 bits, because 16 bits would cost
 * each part one more septet than `segments` assumes, so they repeat soon.
 *
 * A phone distinguishes messages by sender, reference and number of parts. Each recipient therefore has its own
 * sequence: 256 consecutive long messages to one phone have different references, however many go to others.
 */
import { LruCache } from '../../lib/lru-cache.ts'
import type { Dice } from '../../ports/world.ts'

/** A recipient that is evicted starts at a random number again, as after a restart. */
const MAX_RECIPIENTS = 20_000

export class ConcatenationReferences {
  readonly #dice: Dice
  readonly #last: LruCache<string, { reference: number }>

  constructor(dice: Dice, recipients = MAX_RECIPIENTS) {
    this.#dice = dice
    this.#last = new LruCache(recipients)
  }

  next(recipient: string): number {
    const last = this.#last.get(recipient)
    const reference = last === undefined ? Math.floor(this.#dice() * 0x100) : (last.reference + 1) & 0xff
    this.#last.set(recipient, { reference })
    return reference
  }
}
