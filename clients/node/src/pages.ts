/** A list: iterate over its items, which loads page after page, or take pages yourself. */

type PageShape<Item> = Readonly<{ items: readonly Item[]; next_cursor?: string | null }>

export class Pages<Item, Page extends PageShape<Item>> implements AsyncIterable<Item> {
  readonly #load: (cursor: string | undefined) => Promise<Page>

  constructor(load: (cursor: string | undefined) => Promise<Page>) {
    this.#load = load
  }

  /** The first page as the API answers it: with `next_cursor`, and with `total` where you asked for it. */
  page(): Promise<Page> {
    return this.#load(undefined)
  }

  async *pages(): AsyncGenerator<Page> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.#load(cursor)
      yield page
      const next = page.next_cursor ?? undefined
      if (next === undefined) return
      cursor = next
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for await (const page of this.pages()) yield* page.items
  }
}
