/**
 * Makes the HTML of an email safe to show. It is parsed here and not by the browser: a document created by a script has
 * the policy of its page, so the browser may report the email's styles and event handlers as violations when it parses
 * them, even in an inert document. Styles are applied later through the CSSOM, by `applyMailStyles`.
 */
import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import { escapeHtml, toSafeMarkup } from './safe-markup.ts'

export type SafeMail = Readonly<{ source: string; styles: readonly string[]; hasOutside: boolean }>

/** Stricter than the policy the frame inherits, and independent of where the page is served from. */
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:">`

const LOADING_STYLE = /url\(\s*["']?(?!data:)/i

/** The frame decides between light and dark. Links show their address. */
const PAPER = `
:root { color-scheme: light dark; color: CanvasText; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 12px; overflow-wrap: anywhere; }
img { max-width: 100%; }
a[data-href] { color: LinkText; text-decoration: underline; cursor: help; }
`

/**
 * On top of one per character. Unclosed formatting elements reopen in every paragraph, so a short text can create
 * millions.
 */
const SPARE_ELEMENTS = 1_000

export function toSafeMail(html: string): SafeMail {
  const root = parseBounded(html, html.length + SPARE_ELEMENTS)
  if (root === undefined)
    return { source: toPage(`<pre>${escapeHtml(html)}</pre>`), styles: [PAPER], hasOutside: false }
  const { markup, styles, blocked } = toSafeMarkup(root)
  return { source: toPage(markup), styles: [PAPER, ...styles], hasOutside: blocked || LOADING_STYLE.test(html) }
}

const toPage = (body: string): string => `<!doctype html>${POLICY}<title>mail</title>${body}`

class TooManyElements extends Error {}

/** Undefined if it has more than `most` elements. */
function parseBounded(html: string, most: number): Tree.Document | undefined {
  let count = 0
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createElement(...element) {
      count += 1
      if (count > most) throw new TooManyElements()
      return defaultTreeAdapter.createElement(...element)
    },
  }
  try {
    return parse(html, { treeAdapter, scriptingEnabled: false })
  } catch (error) {
    if (error instanceof TooManyElements) return undefined
    throw error
  }
}
