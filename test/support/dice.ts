/** Chance that can be repeated: the same seed throws the same numbers (mulberry32). */

/** A number from 0 (inclusive) to 1 (exclusive). */
export type Dice = () => number

export function seededDice(seed: number): Dice {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A whole number, both ends included. */
export const between = (dice: Dice, least: number, most: number): number =>
  least + Math.floor(dice() * (most - least + 1))
