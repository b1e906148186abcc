/**
 * Makes the html of a mail safe to show. It is parsed here and not by the browser: every document that a script can
 * create has the policy of its page, so a browser may report the styles and event handlers of a mail as violations as
 * soon as it parses them, inert document or not. Styles are put back through the object model, by `dressMail`.
 */
import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import { escapeHtml, toSafeMarkup } from './safe-markup.ts'

export type SafeMail = Readonly<{ source: string; styles: readonly string[]; hasOutside: boolean }>

/** The frame inherits the policy of the page; this one is stricter, and holds wherever the page is served from. */
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:">`

const LOADING_STYLE = /url\(\s*["']?(?!data:)/i

/** Mail is written for white paper, whatever the theme; a link shows where it would lead. */
const PAPER = `
:root { color-scheme: only light; color: CanvasText; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 12px; overflow-wrap: anywhere; }
img { max-width: 100%; }
a[data-href] { color: LinkText; text-decoration: underline; cursor: help; }
`

/** Beside one per character. Unclosed formatting elements reopen in every paragraph, so a short text can make millions. */
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

/** Undefined where it grows to more elements than `most`. */
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
