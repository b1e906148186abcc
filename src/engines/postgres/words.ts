/** Splits texts and searches into words by the same rule, independent of what the database considers a letter. */

/** PostgreSQL limits words to 2 KB and their total to 1 MB: indexing a message must never fail. */
const LONGEST = 64
const MOST = 4_000

/** Without case and accents: people searching on a phone type neither. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()

const split = (text: string): string[] => (plain(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(shorten)

/** By characters, not surrogates. */
const shorten = (word: string): string => (word.length <= LONGEST ? word : [...word].slice(0, LONGEST).join(''))

/** The distinct words of some texts. */
export const toWords = (...texts: readonly (string | undefined)[]): string[] =>
  [...new Set(split(texts.join(' ')))].slice(0, MOST)

/** A tsquery: every word must occur, the last one as a prefix. Undefined without words. */
export function toTextQuery(text: string): string | undefined {
  const words = split(text)
  return words.length === 0 ? undefined : `${words.map((word) => `'${word}'`).join(' & ')}:*`
}

const LONGEST_KEY = 200

/** A text that an index can hold: PostgreSQL accepts no NUL and no lone surrogate, and no very long keys. */
export const toKey = (text: string): string => text.slice(0, LONGEST_KEY).toWellFormed().replaceAll('\0', '\ufffd')
