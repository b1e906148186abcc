/** Templates: texts with places to fill in. Every change makes a new version, and the newest is sent. */
import { type Static, Type } from 'typebox'
import type { Template } from '../../domain/directory/template.ts'
import type { TenantId } from '../../domain/ids.ts'
import { CHANNELS } from '../../domain/message/message.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import { refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { HtmlInspector } from '../../ports/html-inspector.ts'
import type { Renderer } from '../../ports/renderer.ts'
import type { Templates } from '../../ports/templates.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { answers, nullable } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { PageFields } from '../messages/message-search.ts'
import { Locale, TemplateName } from './directory-schemas.ts'
import {
  TEMPLATE_BODY_LIMIT as bodyLimit,
  readLocale,
  ShownTemplate,
  TextFields,
  toFlaws,
  toGaps,
  toHtmlFlaws,
  toOwnWords,
  toShown,
  toTexts,
} from './template-fields.ts'

export type TemplatesDeps = Readonly<{
  templates: Templates
  renderer: Renderer
  inspector: HtmlInspector
  defaultLocale: string
  clock: Clock
  guard: Guard
}>

/** More locales than this of one name are not shown at once. */
const MOST_LOCALES = 200

export function templateRoutes(app: Api, deps: TemplatesDeps): void {
  const { templates, defaultLocale, clock, guard } = deps
  const [mayRead, mayWrite] = [guard('messages:read'), guard('messages:write')]
  const localeOf = (text = defaultLocale): string => readLocale(text)

  app.get('/v1/templates', { schema: LIST, onRequest: mayRead }, async (request) => {
    const { cursor, limit = 50 } = request.query
    const where = { tenantId: callerOf(request).tenantId, limit, ...(cursor === undefined ? {} : { cursor }) }
    const page = await templates.list(where)
    return { items: page.templates.map(toShown), next_cursor: page.nextCursor ?? null }
  })

  app.post('/v1/templates', { schema: ADD, onRequest: mayWrite, bodyLimit }, async (request, reply) => {
    const { name, locale, channel, ...said } = request.body
    const { tenantId } = callerOf(request)
    const problems = await toProblems(deps, request.body)
    if (problems.length > 0) throw refuseFields(problems)
    await refuseOtherChannel(deps, tenantId, request.body)
    const texts = toTexts(said)
    reply.code(201)
    return toShown(
      await templates.add({ tenantId, name, locale: localeOf(locale), channel, texts, createdAt: clock() }),
    )
  })

  app.get('/v1/templates/:name', { schema: FIND, onRequest: mayRead }, async (request) => {
    const { tenantId } = callerOf(request)
    const found = await templates.list({ tenantId, name: request.params.name, limit: MOST_LOCALES })
    if (found.templates.length === 0) throw none()
    return { items: found.templates.map(toShown) }
  })

  app.get('/v1/templates/:name/versions', { schema: VERSIONS, onRequest: mayRead }, async (request) => {
    const { tenantId } = callerOf(request)
    const [name, locale] = [request.params.name, localeOf(request.query.locale)]
    const versions = await templates.versions({ tenantId, name, locale })
    if (versions.length === 0) throw none()
    return { items: versions.map(toShown) }
  })

  app.patch('/v1/templates/:name', { schema: CHANGE, onRequest: mayWrite, bodyLimit }, async (request) => {
    const { tenantId } = callerOf(request)
    const { locale, ...said } = request.body
    const known = await templates.find(tenantId, request.params.name, [localeOf(locale)])
    if (known === undefined) throw none()
    const { version: _, ...next } = { ...known, texts: toTexts(said, known.texts), createdAt: clock() }
    const problems = await toProblems(deps, { ...next, ...next.texts })
    if (problems.length > 0) throw refuseFields(problems)
    return toShown(await templates.add(next))
  })

  app.delete('/v1/templates/:name', { schema: REMOVE, onRequest: mayWrite }, async (request, reply) => {
    const { tenantId } = callerOf(request)
    const { locale } = request.query
    const wanted = locale === undefined ? undefined : localeOf(locale)
    if (!(await templates.remove(tenantId, request.params.name, wanted))) throw none()
    return reply.code(204).send()
  })
}

const none = () => refuse('NOT_FOUND', 'no such template')

type Texts = Pick<Static<typeof Addition>, 'name' | 'channel' | 'text' | 'subject' | 'html'>

/** Whatever is wrong is told when a template is saved, and not when it is to be sent. */
async function toProblems({ renderer, inspector }: TemplatesDeps, said: Texts): Promise<readonly FieldProblem[]> {
  const ofEmail = said.channel === 'sms' ? (['subject', 'html'] as const) : []
  const texts = toTexts(said)
  const checked = await renderer.check(texts)
  const html = said.channel === 'email' && checked.kind === 'ok' ? texts.html : undefined
  return [
    ...(said.name === 'preview' ? [{ path: '/name', message: 'is reserved' }] : []),
    ...ofEmail
      .filter((part) => said[part] !== undefined)
      .map((part) => ({ path: `/${part}`, message: 'is not allowed in an SMS' })),
    ...toGaps(said, texts),
    ...toFlaws(checked),
    ...(html === undefined ? [] : toHtmlFlaws(await inspector.inspect(toOwnWords(html)))),
  ]
}

/** All locales of a name serve one channel: which of them is sent depends on the recipient. */
async function refuseOtherChannel(
  { templates }: TemplatesDeps,
  tenantId: TenantId,
  { name, channel }: Pick<Template, 'name' | 'channel'>,
): Promise<void> {
  const { templates: found } = await templates.list({ tenantId, name, limit: 1 })
  const other = found.find((template) => template.channel !== channel)
  if (other !== undefined) throw refuse('CONFLICT', `there is a template of this name for ${other.channel}`)
}

const Addition = Type.Object(
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

const Change = Type.Object(
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
const Items = Type.Object({ items: Type.Array(ShownTemplate) })

const LIST = {
  operationId: 'listTemplates',
  tags,
  summary: 'All templates',
  description: 'The newest version of each name and locale, by name and locale.',
  querystring: Type.Object(PageFields, { additionalProperties: false }),
  response: answers(
    {
      200: {
        description: 'A page of templates.',
        schema: Type.Object({
          ...Items.properties,
          next_cursor: nullable(Type.String({ description: 'Null on the last page.' })),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}

const ADD = {
  operationId: 'addTemplate',
  tags,
  summary: 'Save a template',
  description:
    'The first version of a name in a locale, or the next one. Without a locale it is in the default one. Texts are written in Liquid; a faulty one is refused, by what is wrong and where, and so is html with scripts in it. One for email has a subject and html; only `otp-email` may do without its subject.',
  body: Addition,
  response: answers(
    { 201: { description: 'Saved.', schema: ShownTemplate } },
    'VALIDATION_ERROR',
    'CONFLICT',
    'PAYLOAD_TOO_LARGE',
  ),
}

const FIND = {
  operationId: 'getTemplate',
  tags,
  summary: 'One template',
  description: 'The newest version in each of its locales.',
  params,
  response: answers({ 200: { description: 'The template.', schema: Items } }, 'NOT_FOUND'),
}

const VERSIONS = {
  operationId: 'listTemplateVersions',
  tags,
  summary: 'All versions of a template',
  description: 'In one locale, newest first.',
  params,
  querystring: InLocale,
  response: answers({ 200: { description: 'The versions.', schema: Items } }, 'VALIDATION_ERROR', 'NOT_FOUND'),
}

const CHANGE = {
  operationId: 'changeTemplate',
  tags,
  summary: 'Change a template',
  description:
    'Makes the next version in one locale, with the texts that are named; null takes one away that is not needed.',
  params,
  body: Change,
  response: answers(
    { 200: { description: 'The new version.', schema: ShownTemplate } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}

const REMOVE = {
  operationId: 'removeTemplate',
  tags,
  summary: 'Remove a template',
  description: 'In one locale or in all of them, with all versions.',
  params,
  querystring: InLocale,
  response: { 204: { description: 'It is gone.', type: 'null' }, ...answers({}, 'VALIDATION_ERROR', 'NOT_FOUND') },
}
