/** What a template would say, without anything being sent. */
import { type Static, Type } from 'typebox'
import type { Template, TemplateTexts } from '../../domain/directory/template.ts'
import { DEEPEST_DATA, parseTemplateData } from '../../domain/directory/template-data.ts'
import type { TenantId } from '../../domain/ids.ts'
import { toSegmentation } from '../../domain/message/segments.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import { findTemplate, toProblems } from '../../flows/send/compose.ts'
import type { Rendered } from '../../ports/renderer.ts'
import { type Api, callerOf } from '../http/context.ts'
import { answers } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { Locale, TemplateData, TemplateName } from './directory-schemas.ts'
import { TEMPLATE_BODY_LIMIT as bodyLimit, readLocale, TextFields, toFlaws, toTexts } from './template-fields.ts'
import type { TemplatesDeps } from './templates.ts'

export function templatePreviewRoutes(app: Api, deps: TemplatesDeps): void {
  const onRequest = deps.guard('messages:read')

  app.post('/v1/templates/preview', { schema: PREVIEW, onRequest, bodyLimit }, async (request) => {
    const { body } = request
    const named = body.name === undefined ? undefined : await find(deps, callerOf(request).tenantId, body)
    const data = parseTemplateData(body.data ?? {})
    if (data === undefined) throw bad('/data', `must not be nested deeper than ${DEEPEST_DATA}`)
    const rendered = await deps.renderer.render(named?.texts ?? toDraft(body), data)
    if (rendered.kind !== 'ok') throw refuseFields(blame(rendered, named))
    return {
      ...toShown(rendered.texts),
      ...(named === undefined ? {} : { locale: named.locale, version: named.version }),
    }
  })
}

const bad = (path: string, message: string) => refuseFields([{ path, message }])

type Wanted = Static<typeof Preview>

async function find(
  deps: TemplatesDeps,
  tenantId: TenantId,
  { name = '', locale, ...said }: Wanted,
): Promise<Template> {
  const beside = (['text', 'subject', 'html'] as const).find((part) => said[part] !== undefined)
  if (beside !== undefined) throw bad(`/${beside}`, 'must not be given beside name')
  const template = await findTemplate(deps, tenantId, name, locale === undefined ? undefined : readLocale(locale))
  if (template === undefined) throw bad('/name', 'is no template, or has no text in a locale that would do')
  return template
}

function toDraft({ text, ...said }: Wanted): TemplateTexts {
  if (text === undefined) throw bad('/text', 'is required, or name in its place')
  return toTexts({ text, ...said })
}

/** A draft is to blame part by part, a saved template as a whole. */
function blame(rendered: Exclude<Rendered, { kind: 'ok' }>, named: Template | undefined): readonly FieldProblem[] {
  if (rendered.kind !== 'missing' && named === undefined) return toFlaws(rendered)
  return toProblems(rendered).map(({ path, message }) => ({ path: path === '' ? '/name' : path, message }))
}

/** Handsets are sent the text without the space around it. */
function toShown({ text, subject, html }: TemplateTexts): Static<typeof Shown> {
  const { segments, encoding } = toSegmentation(text.trim())
  return {
    text: text.trim(),
    ...(subject === undefined ? {} : { subject }),
    ...(html === undefined ? {} : { html }),
    segments,
    encoding,
  }
}

const Preview = Type.Object(
  {
    name: Type.Optional(TemplateName),
    locale: Type.Optional(Locale),
    text: Type.Optional(TextFields.text),
    subject: Type.Optional(TextFields.subject),
    html: Type.Optional(TextFields.html),
    data: Type.Optional(TemplateData),
  },
  { additionalProperties: false, examples: [{ name: 'order-shipped', locale: 'pt-BR', data: { name: 'Ana' } }] },
)

const Shown = Type.Object({
  text: Type.String({ examples: ['Hi Ana, your order is on its way.'] }),
  subject: Type.Optional(Type.String()),
  html: Type.Optional(Type.String()),
  segments: Type.Integer({ description: 'How many parts the text would be as an SMS.', examples: [1] }),
  encoding: Type.Enum(['gsm7', 'ucs2']),
  locale: Type.Optional(Type.String({ description: 'In which of its locales the template was found.' })),
  version: Type.Optional(Type.Integer({ examples: [3] })),
})

const PREVIEW = {
  operationId: 'previewTemplate',
  tags: ['templates'],
  summary: 'What a template would say',
  description:
    'Fills in a saved template, by `name`, or a draft, by `text`, `subject` and `html`. Nothing is sent. Missing variables are refused as they would be by a send.',
  body: Preview,
  response: answers(
    { 200: { description: 'The texts, and what the text would cost as an SMS.', schema: Shown } },
    'VALIDATION_ERROR',
    'PAYLOAD_TOO_LARGE',
  ),
}
