/** The headers by which a client says what the fields of a request say over HTTP. Names and keys ignore case. */
import { decodeWords } from 'postal-mime'
import type { EmailContent } from '../../domain/message/message.ts'
import { type HeaderField, valuesOf } from './header-block.ts'

export type OwnHeaders = Pick<EmailContent, 'tags' | 'metadata'> & Readonly<{ isBulk: boolean }>

const METADATA = 'x-pombo-metadata-'
/** As over HTTP. */
const MAX_TAGS = 20
const LONGEST_TAG = 64
const MAX_KEYS = 50
const LONGEST_KEY = 64
const LONGEST_VALUE = 512

/** The fields, or what is wrong with them. */
export function readOwnHeaders(fields: readonly HeaderField[]): OwnHeaders | string {
  const tags = [...new Set(valuesOf(fields, 'x-pombo-tag').flatMap(toTags))]
  if (tags.length > MAX_TAGS) return `X-Pombo-Tag: there must be at most ${MAX_TAGS} tags`
  if (tags.some((tag) => tag.length > LONGEST_TAG)) return `X-Pombo-Tag: a tag has at most ${LONGEST_TAG} characters`
  const keys = [...new Set(fields.map(({ name }) => name).filter((name) => name.startsWith(METADATA)))].toSorted()
  if (keys.length > MAX_KEYS) return `X-Pombo-Metadata-*: there must be at most ${MAX_KEYS} of them`
  const pairs = keys.map((name) => [name.slice(METADATA.length), toText(valuesOf(fields, name).at(-1) ?? '')] as const)
  if (pairs.some(([key, value]) => key === '' || key.length > LONGEST_KEY || value.length > LONGEST_VALUE)) {
    return `X-Pombo-Metadata-*: a key has 1 to ${LONGEST_KEY} characters, and a value at most ${LONGEST_VALUE}`
  }
  const lane = valuesOf(fields, 'x-pombo-lane').at(-1)?.toLowerCase() ?? 'transactional'
  if (lane !== 'transactional' && lane !== 'bulk') return 'X-Pombo-Lane: must be transactional or bulk'
  return { tags, metadata: Object.fromEntries(pairs), isBulk: lane === 'bulk' }
}

const toTags = (value: string): readonly string[] =>
  toText(value)
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

/** One line without control characters, with encoded words decoded (RFC 2047). */
export const toText = (value: string): string =>
  decodeWords(value)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
