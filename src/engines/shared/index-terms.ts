/**
 * Terms in an index of words: a metadata field, a batch or a template is one more word. It begins with a character that
 * no search for words can contain, and is a hash, because the words that an index splits a text into say nothing of its
 * field.
 */
import { createHash } from 'node:crypto'
import type { Message } from '../../domain/message/message.ts'

/** Of private use: indexes take them for letters, and what people search for is reduced to real ones. */
const OF_METADATA = '\ue000'
const OF_MESSAGE = '\ue001'
const METADATA_DIGITS = 20
/** Enough to tell the batches and templates of a tenant apart. */
const MESSAGE_DIGITS = 14

/** `field` is `key:value`. */
export const toMetadataTerm = (field: string): string => OF_METADATA + digest(field, METADATA_DIGITS)

export const toMetadataTerms = (metadata: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(metadata).map(([key, value]) => toMetadataTerm(`${key}:${value}`))

type Indexed = { readonly [Field in 'batchId' | 'template']?: Message[Field] | undefined }

/** What the public fields of a message are found by, whatever happens to its content. */
export const toMessageTerms = ({ batchId, template }: Indexed): readonly string[] => [
  ...(batchId === undefined ? [] : [toMessageTerm(`batch:${batchId}`)]),
  ...(template === undefined ? [] : [toMessageTerm(`template:${template}`)]),
]

const toMessageTerm = (field: string): string => OF_MESSAGE + digest(field, MESSAGE_DIGITS)

const digest = (text: string, digits: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits)
