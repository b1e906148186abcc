/** Parses a request to create or change a directory entry, and reports every problem. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import { parseLocale } from '../directory/locale.ts'
import type { Entry } from '../directory/recipient.ts'
import { parseEmailAddress } from '../email/address.ts'
import { parsePhoneNumber } from '../message/phone-number.ts'
import type { FieldProblem } from './request-fields.ts'

/** The fields as received, their JSON types already checked. In an update, null removes a field. */
export type EntryFields = Readonly<{
  external_id?: string | null
  name?: string | null
  phone?: string | null
  email?: string | null
  locale?: string | null
}>

type ParsedEntry = Readonly<{ kind: 'ok'; entry: Entry }> | Readonly<{ kind: 'bad'; problems: readonly FieldProblem[] }>

/** The current entry with the requested changes. */
export function parseEntry(fields: EntryFields, current: Entry = {}): ParsedEntry {
  const problems: FieldProblem[] = []
  const read = <Value>(
    path: keyof EntryFields,
    old: Value | undefined,
    parse: (text: string) => Value | undefined,
    message: string,
  ): Value | undefined => {
    const said = fields[path]
    if (said === undefined) return old
    const value = said === null ? undefined : parse(said)
    if (said !== null && value === undefined) problems.push({ path: `/${path}`, message })
    return value
  }
  const externalId = read('external_id', current.externalId, printable(128), 'must be 1 to 128 printable characters')
  const name = read(
    'name',
    current.name,
    (text) => printable(200)(text.trim()),
    'must be 1 to 200 printable characters',
  )
  const phone = read(
    'phone',
    current.phone,
    parsePhoneNumber,
    'must be a phone number in E.164 format, for example +15005550006',
  )
  const email = read('email', current.email, parseEmailAddress, 'must be an email address, for example ana@example.com')
  const locale = read('locale', current.locale, parseLocale, 'must be a BCP 47 language tag, for example pt-BR')
  if (problems.length > 0) return { kind: 'bad', problems }
  return { kind: 'ok', entry: omitUndefined({ externalId, name, phone, email, locale }) }
}

/** Excludes control characters and text that no store can keep. */
const printable =
  (longest: number) =>
  (text: string): string | undefined =>
    /^\P{C}+$/u.test(text) && text.length <= longest ? text : undefined
