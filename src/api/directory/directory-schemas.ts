/** Fields that the directory, the templates and whoever sends by them have in common. */
import { Type } from 'typebox'

export const ExternalId = Type.String({
  description: 'What you call them: 1 to 128 printable characters. No two share one.',
  minLength: 1,
  maxLength: 128,
  examples: ['user-42'],
})

export const Locale = Type.String({
  description: 'A BCP 47 tag.',
  minLength: 1,
  maxLength: 35,
  examples: ['pt-BR'],
})

export const TemplateName = Type.String({
  description: 'Letters, digits and . _ -, at most 64.',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  examples: ['order-shipped'],
})

export const TemplateData = Type.Record(Type.String(), Type.Unknown(), {
  description: 'What the template is filled in with.',
  maxProperties: 100,
  examples: [{ name: 'Ana' }],
})
