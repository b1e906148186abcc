/** Finds the known name that a misspelt one was probably meant to be. */

/** Undefined when more than a third of the letters differ from every known name. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(name.length, candidate.length) / 3)
    .toSorted((a, b) => a.distance - b.distance)
  return best?.candidate
}

/** The Levenshtein distance. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, letter] of Array.from(from).entries()) {
    const next = [index + 1]
    for (let column = 1; column < row.length; column += 1) {
      const replaced = at(row, column - 1) + (to[column - 1] === letter ? 0 : 1)
      next.push(Math.min(replaced, at(row, column) + 1, at(next, column - 1) + 1))
    }
    row = next
  }
  return at(row, to.length)
}

const at = (row: readonly number[], column: number): number => row[column] ?? 0
