/** How much the rows of a list take. */
import type { Row } from '../../ports/message-index.ts'

/** Ids, states and times, as a list shows them. */
const STATE_BYTES = 750

/** Of a row in an answer, roughly. */
export const bytesOf = ({ state: { errorDetail, batchId, template }, searchable }: Row): number =>
  [errorDetail, batchId, template].reduce((bytes, text) => bytes + (text?.length ?? 0), STATE_BYTES) +
  (searchable === undefined ? 0 : JSON.stringify(searchable).length)

/** How many of these rows a page of so many bytes has: at least one. */
export function rowsWithin(rows: readonly Row[], bytes: number): number {
  let left = bytes
  const end = rows.findIndex((row) => {
    left -= bytesOf(row)
    return left < 0
  })
  return end < 0 ? rows.length : Math.max(1, end)
}
