/** Chooses among items with a seeded random number generator. */
import assert from 'node:assert/strict'
import { type Random, randomInteger } from '../support/random.ts'

export const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[randomInteger(random, 0, items.length - 1)] ?? assert.fail('there is nothing to pick')

/** So many different ones, or all if there are fewer. */
export function sample<Item>(random: Random, items: readonly Item[], count: number): readonly Item[] {
  const left = [...items]
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(randomInteger(random, 0, left.length - 1), 1),
  ).flat()
}
