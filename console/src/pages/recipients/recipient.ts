/** Somebody in the directory, as the gateway tells it. */
import type { paths } from '../../api/schema.gen.d.ts'
import { TEXTS } from '../../texts.ts'

type Call = paths['/v1/recipients']['get']
export type Recipient = Call['responses'][200]['content']['application/json']['items'][number]

export const FIELDS = ['name', 'external_id', 'phone', 'email', 'locale'] as const
export type Field = (typeof FIELDS)[number]

/** What to call them: not everybody has a name. */
export const toWho = (recipient: Readonly<Record<Field, string | null>>): string =>
  recipient.name ?? recipient.external_id ?? recipient.phone ?? recipient.email ?? TEXTS.recipients.nobody
