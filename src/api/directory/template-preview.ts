/** Rendering a template or a draft without sending anything. */
import { type Static, Type } from 'typebox'
import type { Template, TemplateTexts } from '../../domain/directory/template.ts'
import { DEEPEST_DATA, parseTemplateData } from '../../domain/directory/template-data.ts'
import type { TenantId } from '../../domain/ids.ts'
import { toSegmentation } from '../../domain/message/segments.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import { findTemplate, toProblems } from '../../flows/send/compose.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Rendered } from '../../ports/renderer.ts'
import { type Api, callerOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import type { RenderingDeps } from '../http/large-templates.ts'
import { namedObject, responses } from '../http/schemas.ts'
import { throttleTenants } from '../http/throttle.ts'
import { refuseFields } from '../http/validation.ts'
import { Locale, TemplateData, TemplateName } from './directory-schemas.ts'
import { TEMPLATE_BODY_LIMIT as bodyLimit, readLocale, syntaxProblems, TextFields, toTexts } from './template-fields.ts'
import type { TemplatesDeps } from './templates.ts'

/** Whoever edits a template previews it a few times a second at most. */
const PREVIEWS = { perSecond: 10, capacity: 30, what: 'template previews' }

export function templatePreviewRoutes(app: Api, deps: TemplatesDeps & RenderingDeps): void {
  const onRequest = [deps.guard('messages:read'), throttleTenants(PREVIEWS, deps.clock)]
  const options = { schema: PREVIEW, onRequest, bodyLimit, config: { answer: 'written' } } as const

  app.post('/v1/templates/preview', options, async (request) => {
    const { body } = request
    const { tenantId } = callerOf(request)
    const saved = body.name === undefined ? undefined : await find(deps, tenantId, body)
    const data = parseTemplateData(body.data ?? {})
    if (data === undefined) throw bad('/data', `must not be nested deeper than ${DEEPEST_DATA} levels`)
    const source = saved ?? { tenantId, texts: toDraft(body) }
    return deps.withRenderer({ tenantId }, async (renderer) => {
      const rendered = await renderer.render(source, data)
      if (rendered.kind !== 'ok') throw refuseFields(renderProblems(rendered, saved))
      return omitUndefined({ ...toView(rendered.texts), locale: saved?.locale, version: saved?.version })
    })
  })
}

const bad = (path: string, message: string) => refuseFields([{ path, message }])

type PreviewBody = Static<typeof Preview>

async function find(
  deps: TemplatesDeps,
  tenantId: TenantId,
  { name = '', locale, ...texts }: PreviewBody,
): Promise<Template> {
  const extra = (['text', 'subject', 'html'] as const).find((part) => texts[part] !== undefined)
  if (extra !== undefined) throw bad(`/${extra}`, 'must not be given together with name')
  const template = await findTemplate(deps, tenantId, name, locale === undefined ? undefined : readLocale(locale))
  if (template === undefined) throw bad('/name', 'is not a template with a matching locale')
  return template
}

function toDraft({ text, subject, html }: PreviewBody): TemplateTexts {
  if (text === undefined) throw bad('/text', 'is required unless name is given')
  return toTexts({ text, subject, html })
}

/** Reported by part for a draft, and on the name for a saved template. */
function renderProblems(
  rendered: Exclude<Rendered, { kind: 'ok' }>,
  saved: Template | undefined,
): readonly FieldProblem[] {
  if (rendered.kind !== 'missing' && saved === undefined) return syntaxProblems(rendered)
  return toProblems(rendered).map(({ path, message }) => ({ path: path === '' ? '/name' : path, message }))
}

/** Trimmed, as an SMS is when it is sent. */
function toView({ text, subject, html }: TemplateTexts): Static<typeof PreviewView> {
  const { segments, encoding } = toSegmentation(text.trim())
  return omitUndefined({ text: text.trim(), subject, html, segments, encoding })
}

const Preview = namedObject(
  'PreviewTemplateRequest',
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

const PreviewView = namedObject('TemplatePreview', {
  text: Type.String({ examples: ['Hi Ana, your order is on its way.'] }),
  subject: Type.Optional(Type.String()),
  html: Type.Optional(Type.String()),
  segments: Type.Integer({ description: 'The number of segments as an SMS.', examples: [1] }),
  encoding: Enums.SmsEncoding(),
  locale: Type.Optional(Type.String({ description: 'The locale of the template that was found.' })),
  version: Type.Optional(Type.Integer({ examples: [3] })),
})

const PREVIEW = {
  operationId: 'previewTemplate',
  tags: ['templates'],
  summary: 'Preview a template',
  description: `Renders a saved template (\`name\`) or a draft (\`text\`, \`subject\` and \`html\`). Nothing is sent. Missing variables are refused, as in a send. A tenant may preview ${PREVIEWS.perSecond} templates a second, and ${PREVIEWS.capacity} at once.`,
  body: Preview,
  response: responses(
    { 200: { description: 'The rendered texts, and the SMS segments of the text.', schema: PreviewView } },
    'VALIDATION_ERROR',
    'PAYLOAD_TOO_LARGE',
    'RATE_LIMITED',
  ),
}
