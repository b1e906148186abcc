/** What a style sheet can hide: scripts in its addresses, and expressions that old browsers compute. */

// What is left open ends with the text: it must not be searched for again and again.
const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g
const ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi
const DANGER = /(?:url\(|@import)[\s"'\p{Cc}]*(?:java|vb)script:|\bexpression\s*\(/iu
const LAST_CHARACTER = 0x10ffff

/** Also with its comments, because what looks like the beginning of one may stand in a string. */
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
