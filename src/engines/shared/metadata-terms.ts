/**
 * Metadata fields in an index of words: each is one more word. It begins with a character that no search for words can
 * contain, and is a hash, because the words that an index splits a text into say nothing of its field.
 */
import { createHash } from 'node:crypto'

/** Of private use: indexes take it for a letter, and what people search for is reduced to real ones. */
const FIRST = '\ue000'
const DIGITS = 20

/** `field` is `key:value`. */
export const toMetadataTerm = (field: string): string =>
  FIRST + createHash('sha256').update(field).digest('hex').slice(0, DIGITS)

export const toMetadataTerms = (metadata: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(metadata).map(([key, value]) => toMetadataTerm(`${key}:${value}`))
