/** Much to ask of a gateway, a few things at a time. */

const HANDS = 16

/** The results are in the order of the items. */
export async function inFlight<In, Out>(items: readonly In[], act: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = []
  for (let from = 0; from < items.length; from += HANDS) {
    results.push(...(await Promise.all(items.slice(from, from + HANDS).map(act))))
  }
  return results
}
