/** The schemas of templates, and the problems that a template may have. */
import { type Static, Type } from 'typebox'
import { parseLocale } from '../../domain/directory/locale.ts'
import type { Template, TemplateSummary, TemplateTexts } from '../../domain/directory/template.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import { defaultLocaleOf, type LocaleDeps } from '../../flows/access/default-locale.ts'
import { refuse } from '../../flows/errors.ts'
import { OTP_TEMPLATES } from '../../flows/otp/write-otp.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { toIso } from '../../lib/time.ts'
import type { HtmlFlaw } from '../../ports/html-inspector.ts'
import type { Checked } from '../../ports/renderer.ts'
import { toTextDigest } from '../access/snapshots.ts'
import { Enums } from '../http/enums.ts'
import { namedObject, nullable, Time } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { Locale, TemplateName } from './directory-schemas.ts'

/** In JSON a character may take six bytes. */
export const TEMPLATE_BODY_LIMIT = 4 * 1024 * 1024

export const TextFields = {
  text: Type.String({
    description: 'The text, a Liquid template: `Hi {{ name }}`.',
    minLength: 1,
    maxLength: 64 * 1024,
    examples: ['Hi {{ name }}, your order {{ order }} is on its way.'],
  }),
  subject: Type.String({ description: 'The subject of an email.', minLength: 1, maxLength: 1000 }),
  html: Type.String({
    description: 'The html of an email. Variables are escaped.',
    minLength: 1,
    maxLength: 512 * 1024,
  }),
}

export const TemplateParams = Type.Object({
  name: Type.String({ title: 'TemplateName', description: 'The name of a template.', examples: ['order-shipped'] }),
})
export const InLocale = Type.Object({ locale: Type.Optional(Locale) }, { additionalProperties: false })

export const TemplateView = namedObject('Template', {
  name: TemplateName,
  locale: Locale,
  channel: Enums.Channel(),
  version: Type.Integer({ examples: [3] }),
  text: TextFields.text,
  subject: nullable(TextFields.subject),
  html: nullable(TextFields.html),
  created_at: Time,
})

export const toTemplateView = ({
  name,
  locale,
  channel,
  version,
  texts,
  createdAt,
}: Template): Static<typeof TemplateView> => ({
  name,
  locale,
  channel,
  version,
  text: texts.text,
  subject: texts.subject ?? null,
  html: texts.html ?? null,
  created_at: toIso(createdAt),
})

/** For the audit log: which texts they are, and not what they say. */
export function toTemplateSnapshot(template: Template) {
  const { text, subject, html, ...view } = toTemplateView(template)
  const digests = { subject: subject && toTextDigest(subject), html: html && toTextDigest(html) }
  return { ...view, text: toTextDigest(text), ...digests }
}

/** A template in a list. */
export const TemplateSummaryView = namedObject('TemplateSummary', {
  name: TemplateName,
  locale: Locale,
  channel: Enums.Channel(),
  version: Type.Integer({ examples: [3] }),
  excerpt: Type.String({ description: 'How the text begins: at most 100 characters.' }),
  size: Type.Integer({ description: 'How many bytes its texts take together.', examples: [1_234] }),
  created_at: Time,
})

export const toSummaryView = (template: TemplateSummary): Static<typeof TemplateSummaryView> => ({
  name: template.name,
  locale: template.locale,
  channel: template.channel,
  version: template.version,
  excerpt: template.excerpt,
  size: template.size,
  created_at: toIso(template.createdAt),
})

type GivenTexts = Readonly<{ [Part in keyof TemplateTexts]?: TemplateTexts[Part] | null | undefined }>

/** `current` with the given changes; null removes a part. */
export function toTexts({ text, subject, html }: GivenTexts, current: TemplateTexts = { text: '' }): TemplateTexts {
  return omitUndefined({
    text: text ?? current.text,
    subject: subject === undefined ? current.subject : (subject ?? undefined),
    html: html === undefined ? current.html : (html ?? undefined),
  })
}

export function readLocale(text: string): string {
  const locale = parseLocale(text)
  if (locale === undefined)
    throw refuseFields([{ path: '/locale', message: 'must be a BCP 47 language tag, for example pt-BR' }])
  return locale
}

/** By default that of the tenant. */
export function localeOf(deps: LocaleDeps, tenantId: TenantId, text = defaultLocaleOf(deps, tenantId)): string {
  return readLocale(text)
}

export const noTemplate = (name: string, locale?: string) =>
  refuse('NOT_FOUND', `No template named ${name}${locale === undefined ? '' : ` in locale ${locale}`}`)

/** Errors in the Liquid of a template. */
export function syntaxProblems(checked: Checked): readonly FieldProblem[] {
  switch (checked.kind) {
    case 'ok':
      return []
    case 'faulty':
      return checked.flaws.map(({ part, line, column, message }) => ({
        path: `/${part}`,
        message: `has an error at line ${line}, column ${column}: ${message}`,
      }))
    case 'too-much':
      return [{ path: `/${checked.part}`, message: 'exceeds the limits on rendering time, memory or size' }]
  }
}

/** An email needs a subject and html. For one-time codes Pombo provides the subject. */
export function missingParts(
  { name, channel }: Pick<Template, 'name' | 'channel'>,
  { subject = '', html = '' }: TemplateTexts,
): readonly FieldProblem[] {
  if (channel !== 'email') return []
  const needed = Object.entries(name === OTP_TEMPLATES.email ? { html } : { subject, html })
  return needed.flatMap(([part, text]) => (text.trim() === '' ? [{ path: `/${part}`, message: NEEDED }] : []))
}

const NEEDED = 'is required for email and must not be blank'

/** Scripts and other html that must not be sent. */
export const htmlProblems = (flaws: readonly HtmlFlaw[]): readonly FieldProblem[] =>
  flaws.map(({ detail, line }) => ({ path: '/html', message: `must not contain ${detail} (line ${line})` }))

// An unclosed tag matches to the end, which keeps the search linear.
const LIQUID = /\{%[\s\S]*?(?:%\}|$)|\{\{[\s\S]*?(?:\}\}|$)/g

/** The html with its Liquid tags blanked out. The rendered html is inspected before each send. */
export const withoutLiquid = (html: string): string => html.replace(LIQUID, (markup) => markup.replace(/[^\n]/g, ' '))
