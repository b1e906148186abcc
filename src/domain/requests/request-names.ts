/** Parses the recipient and the template that a caller names instead of an address and a text. */
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { parseLocale } from '../directory/locale.ts'
import { parseRecipientId } from '../directory/recipient.ts'
import { DEEPEST_DATA, parseTemplateData } from '../directory/template-data.ts'
import type { NamedTemplate } from '../message/message.ts'
import { type Bad, type FieldProblem, type NameFields, type Names, noteIn } from './request-fields.ts'

export const UNKNOWN_RECIPIENT = 'is not the id of a recipient in the directory'

/** An invalid name is left out and reported as a problem. */
export function parseNames(fields: NameFields): Readonly<{ names: Names; problems: readonly FieldProblem[] }> {
  const { recipient_id: text, recipient_external_id: externalId, template: said } = fields
  const problems: FieldProblem[] = []
  const bad = noteIn(problems)
  const id = text === undefined ? undefined : (parseRecipientId(text) ?? bad('recipient_id', UNKNOWN_RECIPIENT))
  const template = said === undefined ? undefined : readTemplate(said, bad)
  const byExternalId = text === undefined && externalId !== undefined ? { externalId } : undefined
  return { names: omitUndefined({ recipient: id === undefined ? byExternalId : { id }, template }), problems }
}

function readTemplate(
  { name, locale, data = {} }: NonNullable<NameFields['template']>,
  bad: Bad,
): NamedTemplate | undefined {
  const tag =
    locale === undefined
      ? ''
      : (parseLocale(locale) ?? bad('template/locale', 'must be a BCP 47 language tag, for example pt-BR'))
  const parsed =
    parseTemplateData(data) ?? bad('template/data', `must not be nested deeper than ${DEEPEST_DATA} levels`)
  if (tag === undefined || parsed === undefined) return undefined
  return { name, ...(tag === '' ? {} : { locale: tag }), data: parsed }
}
