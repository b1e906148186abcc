/** Templates as the API returns them, and as drafts. */
import { api, unwrap } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.d.ts'

/** A template in a list, without its texts. */
export type TemplateSummary = components['schemas']['TemplateSummary']
export type Template = components['schemas']['Template']
export type Channel = components['schemas']['Channel']
export const CHANNELS = ['sms', 'email'] as const satisfies readonly Channel[]

export type Draft = Readonly<{
  name: string
  locale: string
  channel: Channel
  text: string
  subject: string
  html: string
}>

export const toDraft = ({ name, locale, channel, text, subject, html }: Template): Draft => ({
  name,
  locale,
  channel,
  text,
  subject: subject ?? '',
  html: html ?? '',
})

/** Omits empty fields. */
export const toTexts = ({ channel, text, subject, html }: Draft) => ({
  text,
  ...(channel === 'email' && subject !== '' ? { subject } : {}),
  ...(channel === 'email' && html !== '' ? { html } : {}),
})

export const saveTemplate = (draft: Draft): Promise<Template> => {
  const { name, locale, channel } = draft
  const body = { name, channel, ...(locale === '' ? {} : { locale }), ...toTexts(draft) }
  return unwrap(api.POST('/v1/templates', { body }))
}

type TemplateKey = Readonly<{ name: string; locale: string }>

/** Few enough to filter here. */
export const fetchTemplates = (): Promise<readonly TemplateSummary[]> =>
  allPages((query) => unwrap(api.GET('/v1/templates', { params: { query } })))

/** The newest version in each locale, with its texts. */
export async function fetchLocales(name: string): Promise<readonly Template[]> {
  const all: Template[] = []
  let cursor: string | null = null
  do {
    const query: PageQuery = cursor === null ? { limit: 200 } : { limit: 200, cursor }
    const page: components['schemas']['TemplatePage'] = await unwrap(
      api.GET('/v1/templates/{name}', { params: { path: { name }, query } }),
    )
    all.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

/** Newest first. */
export const fetchVersions = ({ name, locale }: TemplateKey): Promise<readonly TemplateSummary[]> =>
  allPages((query) =>
    unwrap(api.GET('/v1/templates/{name}/versions', { params: { path: { name }, query: { ...query, locale } } })),
  )

export const fetchVersion = ({ name, locale }: TemplateKey, version: number): Promise<Template> =>
  unwrap(
    api.GET('/v1/templates/{name}/versions/{version}', {
      params: { path: { name, version: String(version) }, query: { locale } },
    }),
  )

type PageQuery = { limit: number; cursor?: string }

async function allPages(
  fetchPage: (query: PageQuery) => Promise<components['schemas']['TemplateSummaryPage']>,
): Promise<readonly TemplateSummary[]> {
  const all: TemplateSummary[] = []
  let cursor: string | null = null
  do {
    const page: components['schemas']['TemplateSummaryPage'] = await fetchPage(
      cursor === null ? { limit: 200 } : { limit: 200, cursor },
    )
    all.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

export function toAddress(name: string, locale?: string, version?: number): string {
  const search = new URLSearchParams({
    name,
    ...(locale === undefined ? {} : { locale }),
    ...(version === undefined ? {} : { version: String(version) }),
  })
  return `/templates?${search}`
}
