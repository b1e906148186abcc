/**
 * Writes the parsed HTML of an email as markup that cannot run scripts, load anything or navigate. It writes no
 * raw-text elements and escapes all text and attribute values, so a browser that parses the markup finds exactly these
 * tags and attributes, however it nests them.
 */
import type { DefaultTreeAdapterTypes as Tree } from 'parse5'

/** `styles`: the contents of the style elements. `blocked`: whether anything outside the email was referenced. */
export type SafeMarkup = Readonly<{ markup: string; styles: readonly string[]; blocked: boolean }>

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Dropped with their content. */
const DROPPED = words(
  'script style template meta base link title iframe frame frameset object embed applet audio video noscript noembed ' +
    'noframes animate set',
)
/** Written as `pre`: a browser would parse their content as raw text. */
const RAW_TEXT = words('xmp plaintext textarea listing')
const VOID = words('area br col hr img input param source track wbr')
/** `name` would shadow properties of the frame's document. */
const DROPPED_ATTRIBUTES = words('action formaction ping target autofocus name nonce is')
const LOADING_ATTRIBUTES = words('src srcset background poster lowsrc dynsrc')
const PLAIN_NAME = /^[a-z][\w:.-]*$/i
const SET_ASIDE = words('style href xlink:href')
const INLINE_IMAGE = /^\s*data:image\//i
/** In SVG attributes such as `fill` and `filter`. Fragments refer to the email itself. */
const OUTSIDE_URL = /url\((?!\s*["']?\s*(?:#|data:))/i
/** A candidate of a `srcset`: its URL without a trailing comma, and its descriptor. */
const CANDIDATE = /([^\s,](?:\S*[^\s,])?)[^,]*/g

/** Iterative: an email may be nested as deeply as it is long. */
export function toSafeMarkup(root: Tree.ParentNode): SafeMarkup {
  const [written, styles, todo]: [string[], string[], (Tree.Node | string)[]] = [[], [], [root]]
  let blocked = false
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (typeof next === 'string') written.push(next)
    else if ('value' in next) written.push(escapeHtml(next.value))
    else if (!('tagName' in next)) pushChildren(todo, next)
    else if (next.tagName === 'style') styles.push(textOf(next))
    else if (!DROPPED.has(next.tagName)) {
      const tag = toSafeTag(next)
      blocked ||= tag.blocked
      written.push(tag.start)
      if (tag.end === undefined) continue
      todo.push(tag.end)
      pushChildren(todo, next)
    }
  }
  return { markup: written.join(''), styles, blocked }
}

/** Pushed in reverse, so that the first child is written next. */
function pushChildren(todo: (Tree.Node | string)[], node: Tree.Node): void {
  if ('childNodes' in node) for (const child of node.childNodes.toReversed()) todo.push(child)
}

const textOf = ({ childNodes }: Tree.Element): string =>
  childNodes.map((child) => ('value' in child ? child.value : '')).join('')

type SafeTag = Readonly<{ start: string; end?: string; blocked: boolean }>

function toSafeTag({ tagName, attrs }: Tree.Element): SafeTag {
  const name = toName(tagName)
  const safe = new Map<string, string>()
  let blocked = false
  for (const { name: local, prefix, value } of attrs) {
    const attribute = prefix ? `${prefix}:${local}` : local
    if (isOutside(attribute, value)) blocked = true
    else if (attribute === 'style') safe.set('data-style', value)
    else if (attribute === 'href' || attribute === 'xlink:href') safe.set('data-href', '').set('title', value)
    else if (isKept(attribute) && !safe.has(attribute)) safe.set(attribute, value)
  }
  const attributes = [...safe].map(([attribute, value]) => ` ${attribute}="${escapeHtml(value)}"`).join('')
  const start = `<${name}${attributes}>`
  return VOID.has(name) ? { start, blocked } : { start, end: `</${name}>`, blocked }
}

/** Styles are set aside and links are only displayed, so neither loads anything. */
function isOutside(attribute: string, value: string): boolean {
  if (attribute === 'srcset') return !isInlineSet(value)
  if (LOADING_ATTRIBUTES.has(attribute)) return !INLINE_IMAGE.test(value)
  return !SET_ASIDE.has(attribute) && OUTSIDE_URL.test(value)
}

/** Data URLs contain commas. */
const isInlineSet = (value: string): boolean =>
  [...value.matchAll(CANDIDATE)].every(([, address = '']) => INLINE_IMAGE.test(address))

function toName(tagName: string): string {
  if (RAW_TEXT.has(tagName)) return 'pre'
  return PLAIN_NAME.test(tagName) ? tagName : 'span'
}

const isKept = (name: string): boolean =>
  PLAIN_NAME.test(name) && !/^on/i.test(name) && !DROPPED_ATTRIBUTES.has(name) && !/^data-(?:style|href)$/.test(name)

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? '')
