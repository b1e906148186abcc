/** What a style sheet can hide: scripts in its URLs, and expressions that old browsers evaluate. */

// An unclosed comment ends with the text, so that it is not searched for again and again.
const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g
const ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi
const DANGER = /(?:url\(|@import)[\s"'\p{Cc}]*(?:java|vb)script:|\bexpression\s*\(/iu
const LAST_CHARACTER = 0x10ffff

/** Checks with and without comments, because what looks like one may be part of a string. */
export const isDangerousStyle = (css: string): boolean =>
  [css, css.replace(COMMENT, '')].some((text) => DANGER.test(toPlain(text)))

/** Without the escapes and line ends in which a word can be hidden. */
const toPlain = (css: string): string =>
  css
    .replace(ESCAPE, (_, hex?: string, letter = '') => (hex === undefined ? letter : toCharacter(hex)))
    .replace(/[\t\n\r\f]/g, '')

function toCharacter(hex: string): string {
  const code = Number.parseInt(hex, 16)
  return code > LAST_CHARACTER ? '' : String.fromCodePoint(code)
}
