/**
 * The references by which a phone joins the parts of a long message. They have 8 bits, because 16 would take a
 * septet more of every part than senders are told, so they come again soon.
 *
 * A phone tells messages apart by sender, reference and number of parts. Each recipient therefore has a sequence of
 * its own: no two of 256 long messages in a row to one phone share a reference, however many go to others meanwhile.
 */
import { LruCache } from '../../lib/lru-cache.ts'
import type { Dice } from '../../ports/world.ts'

/** Whoever is forgotten begins anywhere, as after a restart or in another process. */
const MOST_RECIPIENTS = 20_000

export class References {
  readonly #dice: Dice
  readonly #last: LruCache<string, { reference: number }>

  constructor(dice: Dice, recipients = MOST_RECIPIENTS) {
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
