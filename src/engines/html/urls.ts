/** Addresses that do not lead anywhere but run something, read as a browser reads them. */

/** What is run: a script, or a document that may have one. */
export type Danger = 'javascript:' | 'vbscript:' | 'data:'

const SCHEME = /^(javascript|vbscript|data):/i
/** Documents. A picture that is drawn may be one too, and runs nothing where it is only shown. */
const DOCUMENT = /^data:\s*(?:text\/html|text\/xml|application\/xml|application\/xhtml\+xml)\s*(?:[;,]|$)/i
const DRAWING = /^data:\s*image\/svg\+xml\s*(?:[;,]|$)/i

/** What is skipped before the first letter, and then anywhere. */
const toPlain = (url: string): string => url.replace(/^[\p{Cc}\s]+/u, '').replace(/[\t\n\r]/g, '')

/** `opens` says that a drawing would be opened there as a document of its own. */
export function dangerOf(url: string, opens: boolean): Danger | undefined {
  const plain = toPlain(url)
  const scheme = SCHEME.exec(plain)?.[0].toLowerCase()
  if (scheme !== 'data:') return scheme as Danger | undefined
  return DOCUMENT.test(plain) || (opens && DRAWING.test(plain)) ? scheme : undefined
}

/** A page that is to be shown after a while: `0; url=…`, in all the ways in which people write it. */
export function refreshDanger(content: string): Danger | undefined {
  const found = /(javascript:|vbscript:|data:\s*text\/html)/i.exec(content.replace(/[\t\n\r]/g, ''))?.[0].toLowerCase()
  return found?.startsWith('data:') ? 'data:' : (found as Danger | undefined)
}
