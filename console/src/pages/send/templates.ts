/** The templates of a channel, and what one of them says with its data. */
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client.ts'
import { hasScope, useSession } from '../../api/session.ts'
import { useDebounced } from '../../ui/debounced.ts'
import { fetchTemplates, fetchVersion, type TemplateSummary } from '../templates/template.ts'
import type { Channel, ChosenTemplate } from './draft.ts'
import { toData, type Values } from './template-values.ts'

export function useTemplates(channel: Channel): readonly TemplateSummary[] | undefined {
  const mayRead = hasScope(useSession(), 'messages:read')
  const { data } = useQuery({ queryKey: ['send', 'templates'], queryFn: fetchTemplates, enabled: mayRead })
  return data?.filter((one) => one.channel === channel)
}

/** With its texts, which say what data it needs. */
export async function chooseTemplate({ channel, name, locale, version }: TemplateSummary): Promise<ChosenTemplate> {
  const { text, subject, html } = await fetchVersion({ name, locale }, version)
  return { channel, name, locale, source: [text, subject, html].filter((part) => part !== null).join('\n') }
}

export function useRendered(template: ChosenTemplate | undefined, values: Values) {
  const asked = useDebounced(template === undefined ? '' : JSON.stringify(toRequest(template, values)))
  return useQuery({
    queryKey: ['send', 'rendered', asked],
    queryFn: () => unwrap(api.POST('/v1/templates/preview', { body: JSON.parse(asked) })),
    enabled: asked !== '' && template !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    placeholderData: (before) => before,
  })
}

const toRequest = ({ name, locale, source }: ChosenTemplate, values: Values) => ({
  name,
  locale,
  data: toData(source, values).data,
})
