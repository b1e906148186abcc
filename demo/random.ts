/** Random choices. Not for secrets. With dice of a seed they are the same every time. */
import type { Dice } from '../src/ports/world.ts'

export const chance = (share: number, dice: Dice = Math.random): boolean => dice() < share

export const randomBelow = (below: number, dice: Dice = Math.random): number => Math.floor(dice() * below)

export function pick<Item>(items: readonly Item[], dice: Dice = Math.random): Item {
  const item = items[randomBelow(items.length, dice)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

export type Weighted<Item> = readonly (readonly [weight: number, item: Item])[]

/** Draws by weight. */
export function draw<Item>(weighted: Weighted<Item>, dice: Dice = Math.random): Item {
  let left = dice() * weighted.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, item] of weighted) {
    left -= weight
    if (left < 0) return item
  }
  return pick(weighted, dice)[1]
}
