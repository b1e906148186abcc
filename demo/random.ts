/** Random choices. Not for secrets. */
export const chance = (share: number): boolean => Math.random() < share

export const randomBelow = (below: number): number => Math.floor(Math.random() * below)

export function pick<Item>(items: readonly Item[]): Item {
  const item = items[randomBelow(items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** Draws by weight. */
export function draw<Item>(weighted: readonly (readonly [weight: number, item: Item])[]): Item {
  let left = Math.random() * weighted.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, item] of weighted) {
    left -= weight
    if (left < 0) return item
  }
  return pick(weighted)[1]
}
