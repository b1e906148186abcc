/** The known name that a misspelt one was probably meant to be. */

/** Undefined when nothing known is near: at most a third of the letters may differ. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(name.length, candidate.length) / 3)
    .toSorted((a, b) => a.distance - b.distance)
  return best?.candidate
}

/** How many letters must be added, removed or replaced to get from one word to the other. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, place) => place)
  for (const [index, letter] of Array.from(from).entries()) {
    const next = [index + 1]
    for (let place = 1; place < row.length; place += 1) {
      const replaced = at(row, place - 1) + (to[place - 1] === letter ? 0 : 1)
      next.push(Math.min(replaced, at(row, place) + 1, at(next, place - 1) + 1))
    }
    row = next
  }
  return at(row, to.length)
}

const at = (row: readonly number[], place: number): number => row[place] ?? 0
