/** The preview of a mail in the inbox: the beginning of its text, or of the visible text of its HTML. */
import { createRequire } from 'node:module'
import type * as Parse5 from 'parse5'
import type { DefaultTreeAdapterTypes } from 'parse5'

const require = createRequire(import.meta.url)
/** Loaded on demand: most simulators never receive a mail without a text. */
const parser = (): typeof Parse5 => require('parse5')

/** A list of thousands must fit into memory. */
const MAX_LENGTH = 4000

/** Never splits a surrogate pair. */
export const truncate = (text: string): string =>
  text.length <= MAX_LENGTH ? text : text.slice(0, MAX_LENGTH).replace(/[\uD800-\uDBFF]$/, '')

const INVISIBLE = new Set(['head', 'style', 'script', 'template'])
const LINES = new Set([
  ...['address', 'blockquote', 'br', 'div', 'dd', 'dt', 'footer', 'form', 'header', 'hr', 'li', 'ol', 'p', 'pre'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'section', 'table', 'tr', 'ul'],
])
const CELLS = new Set(['td', 'th'])

/** Iterative, because HTML may be nested deeper than the call stack allows. */
export function visibleText(html: string): string {
  const waiting: (DefaultTreeAdapterTypes.Node | string)[] = [parser().parse(html, { scriptingEnabled: false })]
  const parts: string[] = []
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') parts.push(next)
    else if ('value' in next) parts.push(next.value.replace(/\s+/g, ' '))
    else if ('childNodes' in next && !INVISIBLE.has(next.nodeName)) {
      const separator = separatorOf(next.nodeName)
      parts.push(separator)
      waiting.push(separator)
      for (const child of next.childNodes.toReversed()) waiting.push(child)
    }
  }
  return parts
    .join('')
    .replace(/ *\n[\n ]*/g, '\n')
    .replace(/ {2,}/g, ' ')
    .trim()
}

/** The white space around an element. */
function separatorOf(name: string): string {
  if (LINES.has(name)) return '\n'
  return CELLS.has(name) ? ' ' : ''
}
