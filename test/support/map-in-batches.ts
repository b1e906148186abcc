/** Calls a gateway for many items, a batch at a time. */

const BATCH_SIZE = 16

/** Returns the results in the order of the items. */
export async function mapInBatches<In, Out>(items: readonly In[], act: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = []
  for (let from = 0; from < items.length; from += BATCH_SIZE) {
    results.push(...(await Promise.all(items.slice(from, from + BATCH_SIZE).map(act))))
  }
  return results
}
