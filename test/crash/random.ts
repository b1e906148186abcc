/** A seeded random number generator: the same seed gives the same numbers on every machine. */
export type SeededRandom = Readonly<{
  /** From 0 (inclusive) to 1 (exclusive). */
  next: () => number
  /** An integer from `least` to `most`, both included. */
  integer: (least: number, most: number) => number
  happens: (share: number) => boolean
  pick: <Task>(items: readonly Task[]) => Task
  /** `length` bytes in hexadecimal. */
  hex: (length: number) => string
}>

export function seededRandom(seed: number): SeededRandom {
  const next = sfc32(seed)
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    integer,
    happens: (share) => next() < share,
    pick(items) {
      const picked = items[integer(0, items.length - 1)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
    hex: (length) => Array.from({ length }, () => integer(0, 255).toString(16).padStart(2, '0')).join(''),
  }
}

const WARM_UP = 12

/** A small generator with good mixing: adjacent seeds give unrelated numbers. */
function sfc32(seed: number): () => number {
  let a = seed | 0
  let b = (seed / 2 ** 32) | 0
  let c = 0x9e3779b9 | 0
  let counter = 1
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  for (let round = 0; round < WARM_UP; round += 1) next()
  return next
}
