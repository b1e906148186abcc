/** Imports all items of one kind, page by page, and counts the outcomes. */

/** `there`: it existed and stays as it is. `left`: it could not be imported. */
export type ImportOutcome = 'added' | 'there' | 'left'

/** `all` counts the items of the source. */
export type ImportCounts = Readonly<{ all: number; added: number; left: number }>

type Page<Item> = Readonly<{ items: readonly Item[]; nextCursor: string | undefined }>
type From = Readonly<{ limit: number; cursor?: string }>

/** Items of a page are imported concurrently: few enough not to time out at the database. */
const PAGE = 64

export const NOTHING: ImportCounts = { all: 0, added: 0, left: 0 }

export async function importPages<Item>(
  read: (from: From) => Promise<Page<Item>>,
  importItem: (item: Item) => Promise<ImportOutcome>,
): Promise<ImportCounts> {
  let counts = NOTHING
  for (let from: From | undefined = { limit: PAGE }; from !== undefined; ) {
    const { items, nextCursor }: Page<Item> = await read(from)
    counts = sum(counts, toCounts(await Promise.all(items.map(importItem))))
    from = nextCursor === undefined ? undefined : { limit: PAGE, cursor: nextCursor }
  }
  return counts
}

export const sum = (one: ImportCounts, other: ImportCounts): ImportCounts => ({
  all: one.all + other.all,
  added: one.added + other.added,
  left: one.left + other.left,
})

const toCounts = (outcomes: readonly ImportOutcome[]): ImportCounts => ({
  all: outcomes.length,
  added: outcomes.filter((outcome) => outcome === 'added').length,
  left: outcomes.filter((outcome) => outcome === 'left').length,
})
