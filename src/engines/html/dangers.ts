/** What makes one element dangerous by itself: its name or its attributes. */
import { isDangerousStyle } from './styles.ts'
import { dangerOf, refreshDanger } from './urls.ts'

/** As the parser reports them. `prefix` is the namespace prefix of SVG attributes, as in `xlink:href`. */
export type Attribute = Readonly<{ name: string; value: string; prefix?: string }>
export type Tag = Readonly<{ tagName: string; attrs: readonly Attribute[] }>

/** `attribute` is where the danger was found, if in one. */
export type Danger = Readonly<{ detail: string; attribute?: Attribute }>

/** The name as written, in lower case. */
export const nameOf = ({ name, prefix = '' }: Attribute): string =>
  (prefix === '' ? name : `${prefix}:${name}`).toLowerCase()

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Attributes that are a URL, or may become one: SVG can copy a URL into another attribute. */
const URLS = words(
  'href xlink:href src action formaction data poster background cite longdesc lowsrc dynsrc codebase classid code ' +
    'manifest profile icon xml:base from to by',
)
const LISTS: ReadonlyMap<string, RegExp> = new Map([
  ['srcset', /[\s,]+/],
  ['imagesrcset', /[\s,]+/],
  ['ping', /\s+/],
  ['archive', /[\s,]+/],
  ['values', /;/],
])
/** Elements that open or navigate to their URL. */
const OPENS = words('a area applet base button embed form frame iframe object use')
/** Handler names that may be reported: anything else could be words of the message. */
const REPORTABLE = /^on[a-z]{1,30}$/

export function* dangersOf(tag: Tag): Generator<Danger> {
  if (tag.tagName === 'script') yield { detail: 'a script element' }
  for (const attribute of tag.attrs) {
    const detail = dangerIn(tag, attribute)
    if (detail !== undefined) yield { detail, attribute }
  }
}

function dangerIn({ tagName, attrs }: Tag, attribute: Attribute): string | undefined {
  const { value } = attribute
  const name = nameOf(attribute)
  if (isEventHandler(name)) return toldHandler(name)
  if (name === 'attributename' && isEventHandler(value.trim().toLowerCase())) return toldHandler(value.trim())
  if (name === 'style') return isDangerousStyle(value) ? 'a script in style' : undefined
  const danger =
    name === 'content' && tagName === 'meta' && isRefresh(attrs)
      ? refreshDanger(value)
      : urlsIn(name, value)
          .map((url) => dangerOf(url, OPENS.has(tagName)))
          .find((found) => found !== undefined)
  return danger && `a ${danger} URL in ${name}`
}

const isEventHandler = (name: string): boolean => /^on[a-z]/.test(name)

const toldHandler = (name: string): string =>
  REPORTABLE.test(name.toLowerCase()) ? `an event handler (${name.toLowerCase()})` : 'an event handler'

const isRefresh = (attrs: readonly Attribute[]): boolean =>
  attrs.some(({ name, value }) => name === 'http-equiv' && value.trim().toLowerCase() === 'refresh')

function urlsIn(name: string, value: string): readonly string[] {
  const separator = LISTS.get(name)
  if (separator !== undefined) return value.split(separator)
  return URLS.has(name) ? [value] : []
}
