/** URLs that execute something, read as a browser reads them. */

/** Executes a script, or opens a document that may contain one. */
export type Danger = 'javascript:' | 'vbscript:' | 'data:'

const SCHEME = /^(javascript|vbscript|data):/i
/** Documents. SVG is one too, but executes nothing where it is only displayed. */
const DOCUMENT = /^data:\s*(?:text\/html|text\/xml|application\/xml|application\/xhtml\+xml)\s*(?:[;,]|$)/i
const DRAWING = /^data:\s*image\/svg\+xml\s*(?:[;,]|$)/i

/** Removes what browsers skip: before the first letter, and line ends and tabs anywhere. */
const toPlain = (url: string): string => url.replace(/^[\p{Cc}\s]+/u, '').replace(/[\t\n\r]/g, '')

/** `opens` means that the element would open an SVG as a document of its own. */
export function dangerOf(url: string, opens: boolean): Danger | undefined {
  const plain = toPlain(url)
  const scheme = SCHEME.exec(plain)?.[0].toLowerCase()
  if (scheme !== 'data:') return scheme as Danger | undefined
  return DOCUMENT.test(plain) || (opens && DRAWING.test(plain)) ? scheme : undefined
}

/** A meta refresh, `0; url=…`, in all its spellings. */
export function refreshDanger(content: string): Danger | undefined {
  const found = /(javascript:|vbscript:|data:\s*text\/html)/i.exec(content.replace(/[\t\n\r]/g, ''))?.[0].toLowerCase()
  return found?.startsWith('data:') ? 'data:' : (found as Danger | undefined)
}
