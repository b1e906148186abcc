/** Seeded chance: the same seed rolls the same numbers, on every machine. */
export type Chance = Readonly<{
  /** From 0 (inclusive) to 1 (exclusive). */
  roll: () => number
  /** A whole number from `least` to `most`, both included. */
  between: (least: number, most: number) => number
  happens: (share: number) => boolean
  pick: <Item>(items: readonly Item[]) => Item
  /** As many bytes, written as twice as many hexadecimal digits. */
  hex: (length: number) => string
}>

export function toChance(seed: number): Chance {
  const roll = toRoll(seed)
  const between = (least: number, most: number): number => least + Math.floor(roll() * (most - least + 1))
  return {
    roll,
    between,
    happens: (share) => roll() < share,
    pick(items) {
      const picked = items[between(0, items.length - 1)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
    hex: (length) => Array.from({ length }, () => between(0, 255).toString(16).padStart(2, '0')).join(''),
  }
}

const WARM_UP = 12

/** sfc32, a small and well mixed generator; seeds that lie side by side roll nothing alike. */
function toRoll(seed: number): () => number {
  let a = seed | 0
  let b = (seed / 2 ** 32) | 0
  let c = 0x9e3779b9 | 0
  let counter = 1
  const roll = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  for (let turn = 0; turn < WARM_UP; turn += 1) roll()
  return roll
}
