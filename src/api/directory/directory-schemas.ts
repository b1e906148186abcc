/** Fields that recipients, templates and send requests share. */
import { Type } from 'typebox'

export const ExternalId = Type.String({
  description: 'Your own id of the recipient: 1 to 128 printable characters, unique.',
  minLength: 1,
  maxLength: 128,
  examples: ['user-42'],
})

export const Locale = Type.String({
  description: 'A BCP 47 language tag.',
  minLength: 1,
  maxLength: 35,
  examples: ['pt-BR'],
})

export const TemplateName = Type.String({
  description: 'At most 64 letters, digits and . _ -',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  examples: ['order-shipped'],
})

export const TemplateData = Type.Record(Type.String(), Type.Unknown(), {
  title: 'TemplateData',
  description: 'The variables of the template.',
  maxProperties: 100,
  examples: [{ name: 'Ana' }],
})
