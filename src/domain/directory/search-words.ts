/**
 * Splits directory entries and search queries into words by the same rule, so that every engine finds the same entries.
 */
import type { Entry } from './recipient.ts'

/** Longer words are truncated, in entries and queries alike, to keep indexes small. */
const LONGEST = 64

/** Letters and digits only, without case and accents: users on phones type neither. */
function split(text: string): readonly string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  return (plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(shorten)
}

/** Counts code points, so that no surrogate pair is split. */
const shorten = (word: string): string => (word.length <= LONGEST ? word : [...word].slice(0, LONGEST).join(''))

/** The distinct words of an entry. */
export const toWords = ({ externalId, name, phone, email }: Entry): readonly string[] => [
  ...new Set(split([externalId, name, phone, email].join(' '))),
]

/** The prefixes that an entry's words must match. A query without words has none and matches every entry. */
export const toBeginnings = (text: string): readonly string[] => [...new Set(split(text))]
