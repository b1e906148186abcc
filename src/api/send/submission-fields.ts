/** Fields that every call that sends has, whatever the channel. */
import { Type } from 'typebox'
import { ExternalId, Locale, TemplateData, TemplateName } from '../directory/directory-schemas.ts'
import { IdempotencyKey } from '../http/idempotency-key.ts'

const Tag = Type.String({ minLength: 1, maxLength: 64 })
const Metadata = Type.Record(Type.String({ pattern: '^[\\s\\S]{1,64}$' }), Type.String({ maxLength: 512 }), {
  description: 'Up to 50 values of your own, shown and searchable. Names have at most 64 characters.',
  maxProperties: 50,
  additionalProperties: false,
})

export const CommonFields = {
  recipient_id: Type.Optional(
    Type.String({ description: 'In place of `to`: whoever has this id in the directory.', maxLength: 36 }),
  ),
  recipient_external_id: Type.Optional(
    Type.String({ ...ExternalId, description: 'In place of `to`: whoever has this external id in the directory.' }),
  ),
  idempotency_key: Type.Optional(IdempotencyKey),
  lane: Type.Optional(Type.Enum(['transactional', 'bulk'], { description: '`transactional` goes before `bulk`.' })),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Type.Array(Tag, { maxItems: 20 })),
  expires_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'The message is not sent after this time.' }),
  ),
  callback_url: Type.Optional(Type.String({ description: 'An http or https URL.', maxLength: 2048 })),
}

/** A template, which takes the place of other fields. */
export const templateInPlaceOf = (fields: string) =>
  Type.Optional(
    Type.Object(
      { name: TemplateName, data: Type.Optional(TemplateData), locale: Type.Optional(Locale) },
      {
        additionalProperties: false,
        description: `In place of ${fields}: a template, filled in. Without a locale it is the recipient's, if the directory knows it.`,
      },
    ),
  )
