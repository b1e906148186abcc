/** Queries of usage, and its download. */
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client.ts'
import { fetchFile } from '../../api/download.ts'
import type { paths } from '../../api/schema.gen.d.ts'
import { saveFile } from '../../ui/save-file.ts'
import type { Dimension } from './measure.ts'
import type { Period } from './period.ts'

export type { Period }

type Query = NonNullable<paths['/v1/usage']['get']['parameters']['query']>
type Page = paths['/v1/usage']['get']['responses']['200']['content']['application/json']
export type UsageItem = Page['items'][number]

const [LIMIT, EVERY_MS] = [5_000, 30_000]

async function fetchAll(query: Query): Promise<readonly UsageItem[]> {
  const items: UsageItem[] = []
  let cursor: string | undefined
  do {
    const params = { query: { ...query, format: 'json' as const, limit: LIMIT, ...(cursor && { cursor }) } }
    // The answer is only text if it is asked for as CSV.
    const page = (await unwrap(api.GET('/v1/usage', { params }))) as Page
    items.push(...page.items)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return items
}

/** Admins see all accounts, others their own. */
const accounts = (isAdmin: boolean): Pick<Query, 'account_id'> => (isAdmin ? { account_id: '*' } : {})

const useUsage = (query: Query) =>
  useQuery({ queryKey: ['usage', query], queryFn: () => fetchAll(query), refetchInterval: EVERY_MS })

/** By day and dimension, for the chart. */
export const useDays = (period: Period, by: Dimension, isAdmin: boolean) =>
  useUsage({ ...period, ...accounts(isAdmin), group_by: `day,${by}` })

export const useSums = (period: Period, by: Dimension, isAdmin: boolean) =>
  useUsage({ ...period, ...accounts(isAdmin), group_by: by })

/** The pages of the API as one file. */
export async function downloadUsage(period: Period, isAdmin: boolean): Promise<void> {
  const groups = isAdmin ? 'day,account,channel,country,provider' : 'day,channel,country,provider'
  const query = { ...period, ...accounts(isAdmin), group_by: groups, format: 'csv', limit: String(LIMIT) }
  const parts: string[] = []
  let next: string | undefined = `/v1/usage?${new URLSearchParams(query)}`
  while (next !== undefined) {
    const page = await fetchFile(next)
    const text = await page.text()
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1))
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
  }
  saveFile(new Blob(parts, { type: 'text/csv' }), `usage-${period.from}-${period.to}.csv`)
}
