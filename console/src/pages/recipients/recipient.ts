/** A recipient of the directory. */
import type { paths } from '../../api/schema.gen.d.ts'
import { TEXTS } from '../../texts.ts'

type Call = paths['/v1/recipients']['get']
export type Recipient = Call['responses'][200]['content']['application/json']['items'][number]

export const FIELDS = ['name', 'external_id', 'phone', 'email', 'locale'] as const
export type Field = (typeof FIELDS)[number]

/** A display name: not every recipient has a name. */
export const displayName = (recipient: Readonly<Record<Field, string | null>>): string =>
  recipient.name ?? recipient.external_id ?? recipient.phone ?? recipient.email ?? TEXTS.recipients.unnamed
