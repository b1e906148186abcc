/** Template variables as JSON with sorted keys, so that equal requests compare as equal. */

/** Far deeper than any message needs, and safe for recursion. */
export const DEEPEST_DATA = 8

export type TemplateData = Readonly<Record<string, unknown>>

/** Sorts keys at every depth; undefined when nested too deep. */
export function parseTemplateData(data: TemplateData): TemplateData | undefined {
  return depthOf(data, DEEPEST_DATA) > DEEPEST_DATA ? undefined : (sorted(data) as TemplateData)
}

/** The nesting depth, counted no further than one beyond `limit`. */
function depthOf(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (limit === 0) return 1
  return 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner, limit - 1)), 0)
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}
