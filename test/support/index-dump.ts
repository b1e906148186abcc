/** Everything the index returns for every filter: two indexes with equal dumps are equal to a caller. */
import assert from 'node:assert/strict'
import { HANDOFF_STATES, PROVIDER_STATES, STATUSES } from '../../src/domain/message/states.ts'
import type { Gateway } from './gateway.ts'
import { type Page, search } from './sms.ts'

/** The results by query. */
export type Dump = ReadonlyMap<string, unknown>

export type DumpOptions = Readonly<{
  /** Filters in addition to those by state. */
  queries: readonly Readonly<Record<string, string>>[]
  /** The time range of the statistics. */
  from: Date
  to: Date
}>

export async function dumpIndex(gateway: Gateway, { queries, from, to }: DumpOptions): Promise<Dump> {
  const all = [
    {},
    ...STATUSES.map((status) => ({ status })),
    ...HANDOFF_STATES.map((state) => ({ handoff_state: state })),
    ...PROVIDER_STATES.map((state) => ({ provider_state: state })),
    { unknown: 'true' },
    ...queries,
  ]
  const dump = new Map<string, unknown>()
  for (const query of all) dump.set(JSON.stringify(query), await searchAll(gateway, query))
  const range = new URLSearchParams({ from: from.toISOString(), to: to.toISOString(), bucket: '60' })
  for (const path of [`/v1/stats?${range}`, '/v1/dead-letters?limit=200']) {
    dump.set(path, (await gateway.call('GET', path)).text)
  }
  return dump
}

export async function searchAll(gateway: Gateway, query: Readonly<Record<string, string>>): Promise<Page['items']> {
  const items: Page['items'][number][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await search(gateway, { ...query, limit: '200', ...(cursor === '' ? {} : { cursor }) })
    assert(page.items.length > 0 || page.next_cursor === null, 'only the last page may be empty')
    items.push(...page.items)
    cursor = page.next_cursor
  }
  return items
}
