/** Liquid templates by name and locale. Every change creates a new version; the newest is sent. */
import { type Static, Type } from 'typebox'
import type { Template } from '../../domain/directory/template.ts'
import type { TenantId } from '../../domain/ids.ts'
import { CHANNELS } from '../../domain/message/message.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import { refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { HtmlInspector } from '../../ports/html-inspector.ts'
import type { Renderer } from '../../ports/renderer.ts'
import type { Templates } from '../../ports/templates.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { NO_CONTENT, nullable, PageQuery, pageOf, responses } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { Locale, TemplateName } from './directory-schemas.ts'
import {
  TEMPLATE_BODY_LIMIT as bodyLimit,
  htmlProblems,
  missingParts,
  readLocale,
  syntaxProblems,
  TemplateView,
  TextFields,
  toTemplateView,
  toTexts,
  withoutLiquid,
} from './template-fields.ts'

export type TemplatesDeps = Readonly<{
  templates: Templates
  renderer: Renderer
  inspector: HtmlInspector
  defaultLocale: string
  clock: Clock
  guard: Guard
}>

const MOST_LOCALES = 200

export function templateRoutes(app: Api, deps: TemplatesDeps): void {
  const { templates, defaultLocale, clock, guard } = deps
  const [mayRead, mayWrite] = [guard('messages:read'), guard('messages:write')]
  const localeOf = (text = defaultLocale): string => readLocale(text)

  app.get('/v1/templates', { schema: LIST, onRequest: mayRead }, async (request) => {
    const { cursor, limit = 50 } = request.query
    const page = await templates.list(omitUndefined({ tenantId: callerOf(request).tenantId, limit, cursor }))
    return { items: page.templates.map(toTemplateView), next_cursor: page.nextCursor ?? null }
  })

  app.post('/v1/templates', { schema: ADD, onRequest: mayWrite, bodyLimit }, async (request, reply) => {
    const { name, locale, channel, ...given } = request.body
    const { tenantId } = callerOf(request)
    const problems = await templateProblems(deps, request.body)
    if (problems.length > 0) throw refuseFields(problems)
    await refuseOtherChannel(deps, tenantId, request.body)
    const texts = toTexts(given)
    reply.code(201)
    return toTemplateView(
      await templates.add({ tenantId, name, locale: localeOf(locale), channel, texts, createdAt: clock() }),
    )
  })

  app.get('/v1/templates/:name', { schema: FIND, onRequest: mayRead }, async (request) => {
    const { tenantId } = callerOf(request)
    const found = await templates.list({ tenantId, name: request.params.name, limit: MOST_LOCALES })
    if (found.templates.length === 0) throw noTemplate(request.params.name)
    return { items: found.templates.map(toTemplateView) }
  })

  app.get('/v1/templates/:name/versions', { schema: VERSIONS, onRequest: mayRead }, async (request) => {
    const { tenantId } = callerOf(request)
    const [name, locale] = [request.params.name, localeOf(request.query.locale)]
    const versions = await templates.versions({ tenantId, name, locale })
    if (versions.length === 0) throw noTemplate(name, locale)
    return { items: versions.map(toTemplateView) }
  })

  app.patch('/v1/templates/:name', { schema: CHANGE, onRequest: mayWrite, bodyLimit }, async (request) => {
    const { tenantId } = callerOf(request)
    const { locale: given, ...changes } = request.body
    const [name, locale] = [request.params.name, localeOf(given)]
    const current = await templates.find(tenantId, name, [locale])
    if (current === undefined) throw noTemplate(name, locale)
    const { version: _, ...next } = { ...current, texts: toTexts(changes, current.texts), createdAt: clock() }
    const problems = await templateProblems(deps, { ...next, ...next.texts })
    if (problems.length > 0) throw refuseFields(problems)
    return toTemplateView(await templates.add(next))
  })

  app.delete('/v1/templates/:name', { schema: REMOVE, onRequest: mayWrite }, async (request, reply) => {
    const { tenantId } = callerOf(request)
    const { name } = request.params
    const locale = request.query.locale === undefined ? undefined : localeOf(request.query.locale)
    if (!(await templates.remove(tenantId, name, locale))) throw noTemplate(name, locale)
    return reply.code(204).send()
  })
}

const noTemplate = (name: string, locale?: string) =>
  refuse('NOT_FOUND', `No template named ${name}${locale === undefined ? '' : ` in locale ${locale}`}`)

type Texts = Pick<Static<typeof TemplateCreate>, 'name' | 'channel' | 'text' | 'subject' | 'html'>

/** Checked when a template is saved, not when it is first sent. */
async function templateProblems(
  { renderer, inspector }: TemplatesDeps,
  template: Texts,
): Promise<readonly FieldProblem[]> {
  const ofEmail = template.channel === 'sms' ? (['subject', 'html'] as const) : []
  const texts = toTexts(template)
  const checked = await renderer.check(texts)
  const html = template.channel === 'email' && checked.kind === 'ok' ? texts.html : undefined
  return [
    ...(template.name === 'preview' ? [{ path: '/name', message: 'is reserved; choose another name' }] : []),
    ...ofEmail
      .filter((part) => template[part] !== undefined)
      .map((part) => ({ path: `/${part}`, message: 'is not allowed for SMS' })),
    ...missingParts(template, texts),
    ...syntaxProblems(checked),
    ...(html === undefined ? [] : htmlProblems(await inspector.inspect(withoutLiquid(html)))),
  ]
}

/** All locales of a name have one channel, because the recipient decides which locale is sent. */
async function refuseOtherChannel(
  { templates }: TemplatesDeps,
  tenantId: TenantId,
  { name, channel }: Pick<Template, 'name' | 'channel'>,
): Promise<void> {
  const { templates: found } = await templates.list({ tenantId, name, limit: 1 })
  const other = found.find((template) => template.channel !== channel)
  if (other !== undefined)
    throw refuse('CONFLICT', `The template ${name} is for ${other.channel}; all locales of a template have one channel`)
}

const TemplateCreate = Type.Object(
  {
    name: TemplateName,
    locale: Type.Optional(Locale),
    channel: Type.Enum(CHANNELS),
    text: TextFields.text,
    subject: Type.Optional(TextFields.subject),
    html: Type.Optional(TextFields.html),
  },
  {
    additionalProperties: false,
    examples: [
      { name: 'order-shipped', locale: 'en', channel: 'sms', text: 'Hi {{ name }}, your order is on its way.' },
    ],
  },
)

const TemplateUpdate = Type.Object(
  {
    locale: Type.Optional(Locale),
    text: Type.Optional(TextFields.text),
    subject: Type.Optional(nullable(TextFields.subject)),
    html: Type.Optional(nullable(TextFields.html)),
  },
  { additionalProperties: false, examples: [{ text: 'Hi {{ name }}, your order has left.' }] },
)

const tags = ['templates']
const params = Type.Object({ name: Type.String({ description: 'The name of a template.' }) })
const InLocale = Type.Object({ locale: Type.Optional(Locale) }, { additionalProperties: false })
const Items = Type.Object({ items: Type.Array(TemplateView) })

const LIST = {
  operationId: 'listTemplates',
  tags,
  summary: 'List templates',
  description: 'The newest version of each template, sorted by name and locale.',
  querystring: PageQuery,
  response: responses(
    { 200: { description: 'A page of templates.', schema: pageOf(TemplateView) } },
    'VALIDATION_ERROR',
  ),
}

const ADD = {
  operationId: 'addTemplate',
  tags,
  summary: 'Save a template',
  description:
    'Creates the first or the next version of a template in a locale, by default in the default locale. Texts are Liquid templates. Liquid errors and html with scripts are refused, with line and column. Templates for email need a subject and html; only `otp-email` needs no subject.',
  body: TemplateCreate,
  response: responses(
    { 201: { description: 'The template.', schema: TemplateView } },
    'VALIDATION_ERROR',
    'CONFLICT',
    'PAYLOAD_TOO_LARGE',
  ),
}

const FIND = {
  operationId: 'getTemplate',
  tags,
  summary: 'Get a template',
  description: 'The newest version in each of its locales.',
  params,
  response: responses({ 200: { description: 'The template.', schema: Items } }, 'NOT_FOUND'),
}

const VERSIONS = {
  operationId: 'listTemplateVersions',
  tags,
  summary: 'List the versions of a template',
  description: 'In one locale, newest first.',
  params,
  querystring: InLocale,
  response: responses({ 200: { description: 'The versions.', schema: Items } }, 'VALIDATION_ERROR', 'NOT_FOUND'),
}

const CHANGE = {
  operationId: 'changeTemplate',
  tags,
  summary: 'Update a template',
  description: 'Creates the next version in one locale with the given texts; null removes an optional text.',
  params,
  body: TemplateUpdate,
  response: responses(
    { 200: { description: 'The new version.', schema: TemplateView } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}

const REMOVE = {
  operationId: 'removeTemplate',
  tags,
  summary: 'Delete a template',
  description: 'All versions, in one locale or in all.',
  params,
  querystring: InLocale,
  response: { ...NO_CONTENT, ...responses({}, 'VALIDATION_ERROR', 'NOT_FOUND') },
}
