/** Renders the draft with the sample data through the API, debounced. */
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, detailsOf, unwrap } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.d.ts'
import { useDebounced } from '../../ui/debounced.ts'
import type { Data } from './sample-data.ts'
import { type Draft, toTexts } from './template.ts'

export type Shown = components['schemas']['TemplatePreview']
type PreviewRequest = components['schemas']['PreviewTemplateRequest']

export type Flaw = Readonly<{ path: string; message: string }>

export type Preview = Readonly<{
  /** The last successful preview; the current draft may have errors. */
  shown: Shown | undefined
  isOld: boolean
  flaws: readonly Flaw[]
  error: Error | null
}>

/** While the data is not valid JSON, the last valid data is used. */
export function usePreview(draft: Draft, data: Data | undefined): Preview {
  const lastValid = useRef<Data>({})
  if (data !== undefined) lastValid.current = data
  const request = useDebounced(JSON.stringify({ ...toTexts(draft), data: lastValid.current }))
  const body = JSON.parse(request) as PreviewRequest
  const last = useRef<Shown>(undefined)
  const query = useQuery({
    queryKey: ['template-preview', request],
    queryFn: () => unwrap(api.POST('/v1/templates/preview', { body })),
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
