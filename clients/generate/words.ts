/** Names in the cases of the languages, and text as it is wrapped in comments. */

const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

export const toPascalCase = (name: string): string => wordsOf(name).map(capitalize).join('')

export function toCamelCase(name: string): string {
  const pascal = toPascalCase(name)
  return pascal.charAt(0).toLowerCase() + pascal.slice(1)
}

export const toSnakeCase = (name: string): string =>
  wordsOf(name)
    .map((word) => word.toLowerCase())
    .join('_')

/** Which of these names the code has, sorted. */
export const namesIn = (code: string, names: ReadonlySet<string>): readonly string[] =>
  [...new Set(code.match(/\b[A-Z]\w+/g))].filter((word) => names.has(word)).toSorted()

/** Lines of at most this many characters, if the words allow it. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
