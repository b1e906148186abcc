/** The states of the disk that are tried after a power cut, from the least that the rules of disk.ts allow to the most. */
import { type Random, randomInteger, seededRandom } from '../support/random.ts'
import type { Fate } from './stored-file.ts'

export const FATES = ['least', 'most', 'torn', 'files', 'writes', 'sectors'] as const
export type FateName = (typeof FATES)[number]

const least = (fewest: number): number => fewest
const most = (_: number, all: number): number => all

/** After `cut` steps. Everything left open is decided by the seed. */
export function toFate(name: FateName, cut: number, seed: number): Fate {
  const random = seededRandom(seed)
  const anyEntries = (fewest: number, all: number): number => randomInteger(random, fewest, all)
  switch (name) {
    case 'least':
      return { entries: least, keeps: () => false }
    case 'most':
      return { entries: most, keeps: () => true }
    case 'torn':
      return { entries: most, keeps: tornAtTheEnd(random, cut) }
    case 'files': {
      const isKept = remembered(() => random() < 0.5)
      return { entries: anyEntries, keeps: (file) => isKept(file) }
    }
    case 'writes': {
      const share = random()
      const isKept = remembered(() => random() < share)
      return { entries: anyEntries, keeps: (_, at) => isKept(at) }
    }
    case 'sectors': {
      const share = random()
      return { entries: anyEntries, keeps: () => random() < share }
    }
  }
}

function remembered(decide: () => boolean): (of: number) => boolean {
  const decided = new Map<number, boolean>()
  return (of) => {
    const known = decided.get(of) ?? decide()
    decided.set(of, known)
    return known
  }
}

/** The newest steps are lost, and the last one before them is cut off after a few sectors. */
function tornAtTheEnd(random: Random, cut: number): Fate['keeps'] {
  const [torn, sectors] = [cut - randomInteger(random, 1, 8), randomInteger(random, 0, 9)]
  let first: number | undefined
  return (_, at, sector) => {
    if (at !== torn) return at < torn
    first ??= sector
    return sector - first < sectors
  }
}
