/** What of a mail fits into a list: the beginning of its text, or of the words that its html shows. */
import { createRequire } from 'node:module'
import type * as Parse5 from 'parse5'
import type { DefaultTreeAdapterTypes } from 'parse5'

const require = createRequire(import.meta.url)
/** Loaded at the first mail without a text: most simulators never see one. */
const parser = (): typeof Parse5 => require('parse5')

/** So that a list of thousands fits into memory. */
const LONGEST = 4000

export const beginningOf = (text: string): string =>
  text.length <= LONGEST ? text : text.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '')

/** What nobody reads. */
const UNSEEN = new Set(['head', 'style', 'script', 'template'])
const LINES = new Set([
  ...['address', 'blockquote', 'br', 'div', 'dd', 'dt', 'footer', 'form', 'header', 'hr', 'li', 'ol', 'p', 'pre'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'section', 'table', 'tr', 'ul'],
])
const CELLS = new Set(['td', 'th'])

/** By a list of what is still to be read, because html may be nested deeper than calls can be. */
export function wordsOf(html: string): string {
  const waiting: (DefaultTreeAdapterTypes.Node | string)[] = [parser().parse(html, { scriptingEnabled: false })]
  const parts: string[] = []
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') parts.push(next)
    else if ('value' in next) parts.push(next.value.replace(/\s+/g, ' '))
    else if ('childNodes' in next && !UNSEEN.has(next.nodeName)) {
      const edge = edgeOf(next.nodeName)
      parts.push(edge)
      waiting.push(edge)
      for (const child of next.childNodes.toReversed()) waiting.push(child)
    }
  }
  return parts
    .join('')
    .replace(/ *\n[\n ]*/g, '\n')
    .replace(/ {2,}/g, ' ')
    .trim()
}

/** What sets an element apart from the words around it. */
function edgeOf(name: string): string {
  if (LINES.has(name)) return '\n'
  return CELLS.has(name) ? ' ' : ''
}
