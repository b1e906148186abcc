/** What templates are made of and how they are shown, and how what is wrong with one is told. */
import { type Static, Type } from 'typebox'
import { parseLocale } from '../../domain/directory/locale.ts'
import type { Template, TemplateTexts } from '../../domain/directory/template.ts'
import { CHANNELS } from '../../domain/message/message.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import { OTP_TEMPLATES } from '../../flows/otp/otp-text.ts'
import { toIso } from '../../lib/time.ts'
import type { HtmlFlaw } from '../../ports/html-inspector.ts'
import type { Checked } from '../../ports/renderer.ts'
import { nullable, Time } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { Locale, TemplateName } from './directory-schemas.ts'

/** Longer than any of them: in JSON a character may take six. */
export const TEMPLATE_BODY_LIMIT = 4 * 1024 * 1024

export const TextFields = {
  text: Type.String({
    description: 'The text, in Liquid: `Hi {{ name }}`.',
    minLength: 1,
    maxLength: 64 * 1024,
    examples: ['Hi {{ name }}, your order {{ order }} is on its way.'],
  }),
  subject: Type.String({ description: 'The subject of an email.', minLength: 1, maxLength: 1000 }),
  html: Type.String({
    description: 'The html of an email. What is filled in is escaped.',
    minLength: 1,
    maxLength: 512 * 1024,
  }),
}

export const ShownTemplate = Type.Object({
  name: TemplateName,
  locale: Locale,
  channel: Type.Enum(CHANNELS),
  version: Type.Integer({ examples: [3] }),
  text: TextFields.text,
  subject: nullable(TextFields.subject),
  html: nullable(TextFields.html),
  created_at: Time,
})

export const toShown = ({
  name,
  locale,
  channel,
  version,
  texts,
  createdAt,
}: Template): Static<typeof ShownTemplate> => ({
  name,
  locale,
  channel,
  version,
  text: texts.text,
  subject: texts.subject ?? null,
  html: texts.html ?? null,
  created_at: toIso(createdAt),
})

type Said = Readonly<{ [Part in keyof TemplateTexts]?: TemplateTexts[Part] | null | undefined }>

/** What is known of the texts, with what is said of them; null takes one away. */
export function toTexts({ text, subject, html }: Said, known: TemplateTexts = { text: '' }): TemplateTexts {
  const parts = {
    subject: subject === undefined ? known.subject : subject,
    html: html === undefined ? known.html : html,
  }
  return {
    text: text ?? known.text,
    ...(parts.subject == null ? {} : { subject: parts.subject }),
    ...(parts.html == null ? {} : { html: parts.html }),
  }
}

export function readLocale(text: string): string {
  const locale = parseLocale(text)
  if (locale === undefined) throw refuseFields([{ path: '/locale', message: 'must be a BCP 47 tag, such as pt-BR' }])
  return locale
}

/** What is wrong with texts that cannot be read. */
export function toFlaws(checked: Checked): readonly FieldProblem[] {
  switch (checked.kind) {
    case 'ok':
      return []
    case 'faulty':
      return checked.flaws.map(({ part, line, column, message }) => ({
        path: `/${part}`,
        message: `is faulty at line ${line}, column ${column}: ${message}`,
      }))
    case 'too-much':
      return [{ path: `/${checked.part}`, message: 'takes more time, memory or room than a message may' }]
  }
}

/** What no mail goes without, and nobody can give beside a template. One for codes is given a subject of ours. */
export function toGaps(
  { name, channel }: Pick<Template, 'name' | 'channel'>,
  { subject = '', html = '' }: TemplateTexts,
): readonly FieldProblem[] {
  if (channel !== 'email') return []
  const needed = Object.entries(name === OTP_TEMPLATES.email ? { html } : { subject, html })
  return needed.flatMap(([part, text]) => (text.trim() === '' ? [{ path: `/${part}`, message: NEEDED }] : []))
}

const NEEDED = 'is required in a template for email, and must not be blank'

/** What is wrong with html that can be read, and must not be sent. */
export const toHtmlFlaws = (flaws: readonly HtmlFlaw[]): readonly FieldProblem[] =>
  flaws.map(({ detail, line }) => ({ path: '/html', message: `must not have ${detail}, as in line ${line}` }))

// What is left open ends with the text: it must not be searched for again and again.
const LIQUID = /\{%[\s\S]*?(?:%\}|$)|\{\{[\s\S]*?(?:\}\}|$)/g

/** What the author wrote, with blanks for what Liquid makes of the data: that is looked at before it is sent. */
export const toOwnWords = (html: string): string => html.replace(LIQUID, (markup) => markup.replace(/[^\n]/g, ' '))
