/** Moves many things of one kind, a page at a time, and counts what became of them. */

/** One that is `there` was so before and stays as it is; one that is `left` could not be moved. */
export type Fate = 'added' | 'there' | 'left'

/** `all` are those of the source. */
export type Moved = Readonly<{ all: number; added: number; left: number }>

export type Page<Item> = Readonly<{ items: readonly Item[]; nextCursor: string | undefined }>
export type From = Readonly<{ limit: number; cursor?: string }>

/** As many are on their way at once: few enough for each to get its turn at the database in time. */
const PAGE = 64

export const NOTHING: Moved = { all: 0, added: 0, left: 0 }

export async function moveAll<Item>(
  read: (from: From) => Promise<Page<Item>>,
  move: (item: Item) => Promise<Fate>,
): Promise<Moved> {
  let moved = NOTHING
  for (let from: From | undefined = { limit: PAGE }; from !== undefined; ) {
    const { items, nextCursor }: Page<Item> = await read(from)
    moved = sum(moved, toMoved(await Promise.all(items.map(move))))
    from = nextCursor === undefined ? undefined : { limit: PAGE, cursor: nextCursor }
  }
  return moved
}

export const sum = (one: Moved, other: Moved): Moved => ({
  all: one.all + other.all,
  added: one.added + other.added,
  left: one.left + other.left,
})

const toMoved = (fates: readonly Fate[]): Moved => ({
  all: fates.length,
  added: fates.filter((fate) => fate === 'added').length,
  left: fates.filter((fate) => fate === 'left').length,
})
