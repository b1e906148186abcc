/**
 * What a directory is searched by. Entries and searches are taken apart here and by one rule, so that every
 * engine finds the same.
 */
import type { Entry } from './recipient.ts'

/** Longer words are cut on both sides alike: no index wants them whole. */
const LONGEST = 64

/** Letters and digits, without case and accents: who searches on a phone types neither. */
function split(text: string): readonly string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  return (plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(shorten)
}

/** By characters, not halves of them. */
const shorten = (word: string): string => (word.length <= LONGEST ? word : [...word].slice(0, LONGEST).join(''))

/** The words of an entry, each once. */
export const toWords = ({ externalId, name, phone, email }: Entry): readonly string[] => [
  ...new Set(split([externalId, name, phone, email].join(' '))),
]

/** With each of these a word of the entry must begin. Of a text without words there are none, and every entry will do. */
export const toBeginnings = (text: string): readonly string[] => [...new Set(split(text))]
