/** What can be said about the values of a line. */

/** The index of the highest value. */
export function peakOf(values: readonly (number | null)[]): number | undefined {
  const places = values.flatMap((value, place) => (value === null ? [] : [place]))
  return places.reduce<number | undefined>(
    (best, place) => (best === undefined || (values[place] ?? 0) > (values[best] ?? 0) ? place : best),
    undefined,
  )
}

/** The indexes of values without neighbours, which no line connects. */
export const lonePlaces = (values: ArrayLike<number | null | undefined>): readonly number[] =>
  Array.from(values, (_, place) => place).filter(
    (place) => isThere(values[place]) && !isThere(values[place - 1]) && !isThere(values[place + 1]),
  )

const isThere = (value: number | null | undefined): boolean => value !== null && value !== undefined
