/**
 * What counts as a word in full text. Texts and searches are taken apart here and by the same rule, so
 * that it does not depend on what the database takes for a letter.
 */

/** PostgreSQL takes no word beyond 2 KB and no more than 1 MB of words: a message must never fail to be listed. */
const LONGEST = 64
const MOST = 4_000

/** Without case and accents: who searches on a phone types neither. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()

const split = (text: string): string[] => (plain(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(shorten)

/** By characters, not halves of them. */
const shorten = (word: string): string => (word.length <= LONGEST ? word : [...word].slice(0, LONGEST).join(''))

/** The words of some texts, each once. */
export const toWords = (...texts: readonly (string | undefined)[]): string[] =>
  [...new Set(split(texts.join(' ')))].slice(0, MOST)

/** A tsquery: every word must occur, the last one may be a beginning. Undefined when there is no word in it. */
export function toTextQuery(text: string): string | undefined {
  const words = split(text)
  return words.length === 0 ? undefined : `${words.map((word) => `'${word}'`).join(' & ')}:*`
}

const LONGEST_KEY = 200

/** A text as an index can hold it: PostgreSQL knows no NUL and no half of a character, and files nothing very long. */
export const toKey = (text: string): string => text.slice(0, LONGEST_KEY).toWellFormed().replaceAll('\0', '\ufffd')
