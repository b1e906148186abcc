/** Reads a list of the gateway page by page, as far as it is wanted. */
import type { Client } from './client.ts'
import { type Json, listIn, textIn } from './json.ts'

const PAGE = 200

export type Query = Readonly<Record<string, string | undefined>>

export async function* readPages(client: Client, path: string, query: Query, limit: number): AsyncGenerator<Json> {
  let left = limit
  let cursor: string | undefined
  do {
    const page = await client.call('GET', path, { query: { ...query, limit: String(Math.min(left, PAGE)), cursor } })
    const items = listIn(page, 'items')
    yield* items.slice(0, left)
    left -= items.length
    cursor = textIn(page, 'next_cursor')
  } while (left > 0 && cursor !== undefined)
}
