/**
 * Turns whom and what a caller named into an address and a text: a recipient of the directory, a template in the
 * locale that suits best. What is wrong is told field by field, for the one who said it to correct.
 */
import type { TenantId } from '../domain/ids.ts'
import type { NamedTemplate } from '../domain/message.ts'
import { NOBODY } from '../domain/sms-names.ts'
import type { Composed, FieldProblem, SmsNames } from '../domain/sms-request.ts'
import { type Template, toLocales } from '../domain/template.ts'
import type { Recipients } from '../ports/recipients.ts'
import type { Rendered, Renderer } from '../ports/renderer.ts'
import type { Templates } from '../ports/templates.ts'

export type ComposeDeps = Readonly<{
  recipients: Recipients
  templates: Templates
  renderer: Renderer
  /** The locale of texts for those whose own is not known. */
  defaultLocale: string
}>

type Part = Omit<Composed, 'names'> & Readonly<{ locale?: string }>

export async function compose(deps: ComposeDeps, tenantId: TenantId, names: SmsNames): Promise<Composed> {
  const { locale, ...addressed } = await findRecipient(deps, tenantId, names.recipient)
  const { problems, ...worded } = await fillIn(deps, tenantId, names.template, locale)
  return { names, ...addressed, ...worded, problems: [...addressed.problems, ...problems] }
}

const NOTHING: Part = { problems: [] }
const wrong = (path: string, message: string): Part => ({ problems: [{ path, message }] })

async function findRecipient(
  { recipients }: ComposeDeps,
  tenantId: TenantId,
  name: SmsNames['recipient'],
): Promise<Part> {
  if (name === undefined) return NOTHING
  const path = 'id' in name ? 'recipient_id' : 'recipient_external_id'
  const named = 'id' in name ? { recipientId: name.id } : {}
  const entry = await recipients.find(tenantId, name)
  if (entry === undefined) return { ...named, ...wrong(path, NOBODY) }
  const { id: recipientId, phone, externalId, locale } = entry
  return {
    recipientId,
    ...(externalId === undefined ? {} : { user: externalId }),
    ...(locale === undefined ? {} : { locale }),
    ...(phone === undefined ? wrong(path, 'has no phone number') : { to: phone, problems: [] }),
  }
}

async function fillIn(
  deps: ComposeDeps,
  tenantId: TenantId,
  named: NamedTemplate | undefined,
  locale: string | undefined,
): Promise<Part> {
  if (named === undefined) return NOTHING
  const template = await findTemplate(deps, tenantId, named.name, named.locale ?? locale)
  if (template === undefined) return wrong('template/name', 'is no template, or has no text in a locale that would do')
  if (template.channel !== 'sms') return wrong('template/name', `is a template for ${template.channel}`)
  const rendered = await deps.renderer.render(template.texts, named.data)
  if (rendered.kind === 'ok') return { text: rendered.texts.text, problems: [] }
  return { problems: toProblems(rendered).map(({ path, message }) => ({ path: `template${path}`, message })) }
}

/** The newest in the locale that is wanted, or in the nearest to it that there is. */
export const findTemplate = (
  { templates, defaultLocale }: Pick<ComposeDeps, 'templates' | 'defaultLocale'>,
  tenantId: TenantId,
  name: string,
  locale: string | undefined,
): Promise<Template | undefined> => templates.find(tenantId, name, toLocales(locale, defaultLocale))

/** What kept a template from being filled in. A path is empty where it is the template's own fault. */
export function toProblems(rendered: Exclude<Rendered, { kind: 'ok' }>): readonly FieldProblem[] {
  switch (rendered.kind) {
    case 'missing':
      return rendered.names.map((name) => ({
        path: `/data/${name.replaceAll('.', '/')}`,
        message: 'is needed by the template',
      }))
    case 'faulty':
      return rendered.flaws.map(({ line, column, message }) => ({
        path: '',
        message: `is faulty at line ${line}, column ${column}: ${message}`,
      }))
    case 'too-much':
      return [{ path: '', message: 'takes more time, memory or room than a message may' }]
  }
}
