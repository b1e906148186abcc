/** Changes Liquid templates, by name and locale. Every change creates a new version; the newest is sent. */
import { type Static, Type } from 'typebox'
import type { Template } from '../../domain/directory/template.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import type { LocaleDeps } from '../../flows/access/default-locale.ts'
import { type SaveTemplateDeps, saveTemplate } from '../../flows/admin/save-template.ts'
import { refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { HtmlInspector } from '../../ports/html-inspector.ts'
import type { Renderer } from '../../ports/renderer.ts'
import type { Templates } from '../../ports/templates.ts'
import { type Audit, audited } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { NO_CONTENT, namedObject, nullable, responses } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { Locale, TemplateName } from './directory-schemas.ts'
import {
  TEMPLATE_BODY_LIMIT as bodyLimit,
  htmlProblems,
  InLocale,
  localeOf,
  missingParts,
  noTemplate,
  TemplateParams as params,
  syntaxProblems,
  TemplateView,
  TextFields,
  toTemplateSnapshot,
  toTemplateView,
  toTexts,
  withoutLiquid,
} from './template-fields.ts'

export type TemplatesDeps = LocaleDeps &
  SaveTemplateDeps &
  Readonly<{
    templates: Templates
    renderer: Renderer
    inspector: HtmlInspector
    clock: Clock
    guard: Guard
    audit: Audit
  }>

export function templateRoutes(app: Api, deps: TemplatesDeps): void {
  const { templates, clock, guard, audit } = deps
  const mayWrite = guard('messages:write')
  const withTexts = { onRequest: mayWrite, bodyLimit, config: { answer: 'written' } } as const

  app.post('/v1/templates', { schema: ADD, ...withTexts }, async (request, reply) => {
    const { name, locale, channel, ...given } = request.body
    const { tenantId } = callerOf(request)
    const problems = await templateProblems(deps, tenantId, request.body)
    if (problems.length > 0) throw refuseFields(problems)
    await refuseOtherChannel(deps, tenantId, request.body)
    const wanted = {
      tenantId,
      name,
      locale: localeOf(deps, tenantId, locale),
      channel,
      texts: toTexts(given),
      createdAt: clock(),
    }
    const added = await saveTemplate(deps, wanted)
    const action = added.version === 1 ? 'template.created' : 'template.changed'
    await audit(request, { action, target: toTarget(added), after: toTemplateSnapshot(added) })
    reply.code(201)
    return toTemplateView(added)
  })

  app.patch('/v1/templates/:name', { schema: CHANGE, ...withTexts }, async (request) => {
    const { tenantId } = callerOf(request)
    const { locale: given, ...changes } = request.body
    const [name, locale] = [request.params.name, localeOf(deps, tenantId, given)]
    const current = await templates.find(tenantId, name, [locale])
    if (current === undefined) throw noTemplate(name, locale)
    const { version: _, ...next } = { ...current, texts: toTexts(changes, current.texts), createdAt: clock() }
    const problems = await templateProblems(deps, tenantId, { ...next, ...next.texts })
    if (problems.length > 0) throw refuseFields(problems)
    const added = await saveTemplate(deps, next)
    const [before, after] = [toTemplateSnapshot(current), toTemplateSnapshot(added)]
    await audit(request, { action: 'template.changed', target: toTarget(added), before, after })
    return toTemplateView(added)
  })

  app.delete('/v1/templates/:name', { schema: REMOVE, onRequest: mayWrite }, async (request, reply) => {
    const { tenantId } = callerOf(request)
    const { name } = request.params
    const locale = request.query.locale === undefined ? undefined : localeOf(deps, tenantId, request.query.locale)
    if (!(await templates.remove(tenantId, name, locale))) throw noTemplate(name, locale)
    const before = { locale: locale ?? null }
    await audit(request, { action: 'template.removed', target: { kind: 'template', id: name }, before })
    return reply.code(204).send()
  })
}

const toTarget = ({ name }: Template) => ({ kind: 'template', id: name })

type Texts = Pick<Static<typeof TemplateCreate>, 'name' | 'channel' | 'text' | 'subject' | 'html'>

/** Checked when a template is saved, not when it is first sent. */
async function templateProblems(
  { renderer, inspector }: TemplatesDeps,
  tenantId: TenantId,
  template: Texts,
): Promise<readonly FieldProblem[]> {
  const ofEmail = template.channel === 'sms' ? (['subject', 'html'] as const) : []
  const texts = toTexts(template)
  const checked = await renderer.check({ tenantId, texts })
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

const TemplateCreate = namedObject(
  'CreateTemplateRequest',
  {
    name: TemplateName,
    locale: Type.Optional(Locale),
    channel: Enums.Channel(),
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

const TemplateUpdate = namedObject(
  'UpdateTemplateRequest',
  {
    locale: Type.Optional(Locale),
    text: Type.Optional(TextFields.text),
    subject: Type.Optional(nullable(TextFields.subject)),
    html: Type.Optional(nullable(TextFields.html)),
  },
  { additionalProperties: false, examples: [{ text: 'Hi {{ name }}, your order has left.' }] },
)

const tags = ['templates']

const ADD = {
  ...audited('template.created', 'template.changed'),
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
    'QUOTA_EXCEEDED',
    'PAYLOAD_TOO_LARGE',
  ),
}

const CHANGE = {
  ...audited('template.changed'),
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
  ...audited('template.removed'),
  operationId: 'removeTemplate',
  tags,
  summary: 'Delete a template',
  description: 'All versions, in one locale or in all.',
  params,
  querystring: InLocale,
  response: { ...NO_CONTENT, ...responses({}, 'VALIDATION_ERROR', 'NOT_FOUND') },
}
