/** Pages of lists. Reading one row more than the page has tells whether there is another page. */
import { omitUndefined } from '../../lib/omit-undefined.ts'

/** `cursorOf` the last row of this page is where the next one starts. */
export function toPage<Row>(rows: readonly Row[], limit: number, cursorOf: (last: Row) => string) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return omitUndefined({ page, nextCursor: last && cursorOf(last) })
}
