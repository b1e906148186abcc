/** Lists templates and their versions, and shows their texts. */
import { Type } from 'typebox'
import { MOST_LOCALES, type Template } from '../../domain/directory/template.ts'
import type { LocaleDeps } from '../../flows/access/default-locale.ts'
import { refuse } from '../../flows/errors.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { TemplateQuery, Templates } from '../../ports/templates.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { PageFields, PageQuery, pageOf, responses } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { PAGE_BYTES } from '../messages/message-search.ts'
import { Locale } from './directory-schemas.ts'
import {
  InLocale,
  localeOf,
  noTemplate,
  TemplateParams as params,
  TemplateSummaryView,
  TemplateView,
  toSummaryView,
  toTemplateView,
} from './template-fields.ts'

export type TemplateReadsDeps = LocaleDeps & Readonly<{ templates: Templates; guard: Guard }>

export function templateReadRoutes(app: Api, deps: TemplateReadsDeps): void {
  const { templates, guard } = deps
  const mayRead = guard('messages:read')

  app.get('/v1/templates', { schema: LIST, onRequest: mayRead }, async (request) => {
    const { cursor, limit = 50 } = request.query
    const page = await templates.list(omitUndefined({ tenantId: callerOf(request).tenantId, limit, cursor }))
    return { items: page.templates.map(toSummaryView), next_cursor: page.nextCursor ?? null }
  })

  app.get('/v1/templates/:name', { schema: FIND, onRequest: mayRead, config: LIST_ANSWER }, async (request) => {
    const { cursor, limit = MOST_LOCALES } = request.query
    const { name } = request.params
    const query = omitUndefined({ tenantId: callerOf(request).tenantId, name, limit, cursor })
    const { items, nextCursor } = await readLocales(templates, query)
    if (items.length === 0 && cursor === undefined) throw noTemplate(name)
    return { items: items.map(toTemplateView), next_cursor: nextCursor ?? null }
  })

  app.get('/v1/templates/:name/versions', { schema: VERSIONS, onRequest: mayRead }, async (request) => {
    const { tenantId } = callerOf(request)
    const { locale: given, cursor, limit = 50 } = request.query
    const [name, locale] = [request.params.name, localeOf(deps, tenantId, given)]
    const before = cursor === undefined ? undefined : readVersion('cursor', cursor)
    const found = await templates.versions(omitUndefined({ tenantId, name, locale, limit: limit + 1, before }))
    if (found.length === 0 && cursor === undefined) throw noTemplate(name, locale)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return { items: page.map(toSummaryView), next_cursor: last === undefined ? null : String(last.version) }
  })

  app.get('/v1/templates/:name/versions/:version', { schema: FIND_VERSION, onRequest: mayRead }, async (request) => {
    const { tenantId } = callerOf(request)
    const { name, version } = request.params
    const locale = localeOf(deps, tenantId, request.query.locale)
    const found = await templates.version({ tenantId, name, locale }, readVersion('version', version))
    if (found === undefined) throw refuse('NOT_FOUND', `No version ${version} of template ${name} in locale ${locale}`)
    return toTemplateView(found)
  })
}

/** Several texts, which may be long. */
const LIST_ANSWER = { answer: 'list' } as const

/** With their texts, as far as they fit into a page: at least one. */
async function readLocales(templates: Templates, query: TemplateQuery & Readonly<{ name: string }>) {
  const page = await templates.list(query)
  const items: Template[] = []
  let bytes = 0
  for (const { locale, size } of page.templates) {
    bytes += size
    if (items.length > 0 && bytes > PAGE_BYTES) return { items, nextCursor: await cursorAfter(templates, query, items) }
    const template = await templates.find(query.tenantId, query.name, [locale])
    if (template !== undefined) items.push(template)
  }
  return { items, nextCursor: page.nextCursor }
}

const cursorAfter = async (templates: Templates, query: TemplateQuery, { length }: readonly Template[]) =>
  (await templates.list({ ...query, limit: length })).nextCursor

function readVersion(field: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw refuseFields([{ path: `/${field}`, message: 'must be a version of the template' }])
}

const tags = ['templates']

const LIST = {
  operationId: 'listTemplates',
  tags,
  summary: 'List templates',
  description: 'The newest version of each template, sorted by name and locale, without its texts.',
  querystring: PageQuery,
  response: responses(
    { 200: { description: 'A page of templates.', schema: pageOf(TemplateSummaryView) } },
    'VALIDATION_ERROR',
  ),
}

const FIND = {
  operationId: 'getTemplate',
  tags,
  summary: 'Get a template',
  description:
    'The newest version in each of its locales, with its texts. Where they are long, a page has fewer locales: continue until `next_cursor` is null.',
  params,
  querystring: PageQuery,
  response: responses(
    { 200: { description: 'The template.', schema: pageOf(TemplateView) } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}

const VERSIONS = {
  operationId: 'listTemplateVersions',
  tags,
  summary: 'List the versions of a template',
  description: 'In one locale, newest first, without their texts.',
  params,
  querystring: Type.Object({ locale: Type.Optional(Locale), ...PageFields }, { additionalProperties: false }),
  response: responses(
    { 200: { description: 'A page of versions.', schema: pageOf(TemplateSummaryView) } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}

const FIND_VERSION = {
  operationId: 'getTemplateVersion',
  tags,
  summary: 'Get a version of a template',
  description: 'In one locale, with its texts.',
  params: Type.Object({
    ...params.properties,
    version: Type.String({ description: 'The number of a version.', examples: ['3'] }),
  }),
  querystring: InLocale,
  response: responses({ 200: { description: 'The version.', schema: TemplateView } }, 'VALIDATION_ERROR', 'NOT_FOUND'),
}
