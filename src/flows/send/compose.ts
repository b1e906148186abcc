/**
 * Resolves the recipient and the template that a caller named into an address and texts, in the best-matching locale.
 * Reports every problem by field.
 */

import type { Entry } from '../../domain/directory/recipient.ts'
import type { Template, TemplateTexts } from '../../domain/directory/template.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Channel, NamedTemplate, SmsAddress } from '../../domain/message/message.ts'
import type { MailTexts } from '../../domain/requests/email-request.ts'
import type { Composed, FieldProblem, Names } from '../../domain/requests/request-fields.ts'
import { UNKNOWN_RECIPIENT } from '../../domain/requests/request-names.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Recipients } from '../../ports/recipients.ts'
import type { Rendered, Renderer } from '../../ports/renderer.ts'
import type { Templates } from '../../ports/templates.ts'
import { type LocaleDeps, localesFor } from '../access/default-locale.ts'

export type ComposeDeps = LocaleDeps & Readonly<{ recipients: Recipients; templates: Templates; renderer: Renderer }>

/** What a channel needs of a recipient and of a template, and the problems to report when it is missing. */
export type Wanted<To, Text> = Readonly<{
  channel: Channel
  toAddress: (entry: Entry) => To | undefined
  noAddress: string
  toText: (texts: TemplateTexts) => Text | undefined
  noText: string
}>

export const BY_SMS: Wanted<SmsAddress, string> = {
  channel: 'sms',
  toAddress: ({ phone }) => phone,
  noAddress: 'has no phone number',
  toText: ({ text }) => text,
  noText: 'has no text',
}

export const BY_EMAIL: Wanted<EmailAddress, MailTexts> = {
  channel: 'email',
  toAddress: ({ email }) => email,
  noAddress: 'has no email address',
  toText: ({ subject, html, text }) =>
    subject === undefined || html === undefined ? undefined : { subject: subject.trim(), html, text },
  noText: 'is a template without subject or html',
}

type Part<To, Text> = Omit<Composed<To, Text>, 'names'> & Readonly<{ locale?: string }>

export async function compose<To, Text>(
  deps: ComposeDeps,
  tenantId: TenantId,
  names: Names,
  wanted: Wanted<To, Text>,
): Promise<Composed<To, Text>> {
  const { locale, ...addressed } = await findRecipient(deps, tenantId, names.recipient, wanted)
  const { problems, ...worded } = await fillIn(deps, tenantId, names.template, locale, wanted)
  return { names, ...addressed, ...worded, problems: [...addressed.problems, ...problems] }
}

const NOTHING = { problems: [] }
const wrong = (path: string, message: string) => ({ problems: [{ path, message }] })

async function findRecipient<To, Text>(
  { recipients }: ComposeDeps,
  tenantId: TenantId,
  name: Names['recipient'],
  { toAddress, noAddress }: Wanted<To, Text>,
): Promise<Part<To, Text>> {
  if (name === undefined) return NOTHING
  const path = 'id' in name ? 'recipient_id' : 'recipient_external_id'
  const named = 'id' in name ? { recipientId: name.id } : {}
  const entry = await recipients.find(tenantId, name)
  if (entry === undefined) return { ...named, ...wrong(path, UNKNOWN_RECIPIENT) }
  const { id: recipientId, externalId, locale } = entry
  const to = toAddress(entry)
  return {
    recipientId,
    ...omitUndefined({ user: externalId, locale }),
    ...(to === undefined ? wrong(path, noAddress) : { to, problems: [] }),
  }
}

async function fillIn<To, Text>(
  deps: ComposeDeps,
  tenantId: TenantId,
  named: NamedTemplate | undefined,
  locale: string | undefined,
  { channel, toText, noText }: Wanted<To, Text>,
): Promise<Part<To, Text>> {
  if (named === undefined) return NOTHING
  const template = await findTemplate(deps, tenantId, named.name, named.locale ?? locale)
  if (template === undefined) return wrong('template/name', 'is not a template with a matching locale')
  if (template.channel !== channel) return wrong('template/name', `is a template for ${template.channel}`)
  const rendered = await deps.renderer.render(template, named.data)
  if (rendered.kind === 'ok') {
    const text = toText(rendered.texts)
    return text === undefined ? wrong('template/name', noText) : { text, problems: [] }
  }
  return { problems: toProblems(rendered).map(({ path, message }) => ({ path: `template${path}`, message })) }
}

/** The newest version in the requested locale, or in the closest one. */
export const findTemplate = (
  deps: LocaleDeps & Pick<ComposeDeps, 'templates'>,
  tenantId: TenantId,
  name: string,
  locale: string | undefined,
): Promise<Template | undefined> => deps.templates.find(tenantId, name, localesFor(deps, tenantId, locale))

/** The problems of rendering a template. The path is empty when the template itself is at fault. */
export function toProblems(rendered: Exclude<Rendered, { kind: 'ok' }>): readonly FieldProblem[] {
  switch (rendered.kind) {
    case 'missing':
      return rendered.names.map((name) => ({
        path: `/data/${name.replaceAll('.', '/')}`,
        message: 'is required by the template',
      }))
    case 'faulty':
      return rendered.flaws.map(({ line, column, message }) => ({
        path: '',
        message: `has an error at line ${line}, column ${column}: ${message}`,
      }))
    case 'too-much':
      return [{ path: '', message: 'exceeds the limits on rendering time, memory or size' }]
  }
}
