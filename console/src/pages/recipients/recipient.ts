/** A recipient of the directory. */
import type { components } from '../../api/schema.gen.d.ts'
import { RECIPIENTS_TEXTS } from '../../texts/recipients.ts'

export type Recipient = components['schemas']['Recipient']

export const FIELDS = ['name', 'external_id', 'phone', 'email', 'locale'] as const
export type Field = (typeof FIELDS)[number]

/** A display name: not every recipient has a name. */
export const displayName = (recipient: Readonly<Record<Field, string | null>>): string =>
  recipient.name ?? recipient.external_id ?? recipient.phone ?? recipient.email ?? RECIPIENTS_TEXTS.unnamed
