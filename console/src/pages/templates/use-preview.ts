/** What a draft would say with the sample data, asked of the gateway once the writer pauses. */
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, detailsOf, take } from '../../api/client.ts'
import type { paths } from '../../api/schema.gen.d.ts'
import { useDebounced } from '../../ui/debounced.ts'
import type { Data } from './sample-data.ts'
import { type Draft, toTexts } from './template.ts'

type Call = paths['/v1/templates/preview']['post']
export type Shown = Call['responses'][200]['content']['application/json']
type Asked = NonNullable<Call['requestBody']>['content']['application/json']

export type Flaw = Readonly<{ path: string; message: string }>

export type Preview = Readonly<{
  /** The last that could be made; what is written now may be faulty. */
  shown: Shown | undefined
  isOld: boolean
  flaws: readonly Flaw[]
  error: Error | null
}>

/** Without data, because what is written is none yet, it is made with those before. */
export function usePreview(draft: Draft, data: Data | undefined): Preview {
  const known = useRef<Data>({})
  if (data !== undefined) known.current = data
  const asked = useDebounced(JSON.stringify({ ...toTexts(draft), data: known.current }))
  const body = JSON.parse(asked) as Asked
  const last = useRef<Shown>(undefined)
  const query = useQuery({
    queryKey: ['template-preview', asked],
    queryFn: () => take(api.POST('/v1/templates/preview', { body })),
    enabled: body.text !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
  })
  if (query.data !== undefined) last.current = query.data
  return {
    shown: draft.text === '' ? undefined : (query.data ?? last.current),
    isOld: query.data === undefined && !query.isFetching,
    flaws: detailsOf(query.error),
    error: query.error,
  }
}
