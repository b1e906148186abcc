/**
 * Makes text from outside safe to show to a model or a person: tags, error details and subjects come from callers and
 * carriers. What is invisible could hide instructions, or reverse what a person reads, so it is replaced.
 */

/** Control characters but tab and line feed, other line breaks, overrides of the direction, tag characters, half pairs. */
const HIDDEN = /[^\P{Cc}\t\n]|[\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]|\p{Cs}/gu

export const toVisible = (text: string): string => text.replace(HIDDEN, '\ufffd')

/** For a sentence: on one line, in quotation marks. */
export const quote = (text: string): string => JSON.stringify(toVisible(text))

/** Every text in a JSON value, names of fields included. */
export function toVisibleDeep(value: unknown): unknown {
  if (typeof value === 'string') return toVisible(value)
  if (Array.isArray(value)) return value.map(toVisibleDeep)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [toVisible(name), toVisibleDeep(inner)]))
}
