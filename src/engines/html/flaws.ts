/**
 * Finds what mail must not contain: scripts, event handlers and URLs that execute something. It uses a parser that
 * reads as browsers do, because patterns miss what browsers tolerate. Runs in linear time.
 */
import { defaultTreeAdapter, parse, parseFragment, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import type { HtmlFlaw } from '../../ports/html-inspector.ts'
import { type Attribute, dangersOf, nameOf } from './dangers.ts'
import { isDangerousStyle } from './styles.ts'

const MOST_FLAWS = 5
/** Html in an attribute of html in an attribute: nobody writes more. */
const DEEPEST = 3
/**
 * Allowed beyond one element per character. The parser reopens unclosed elements in every paragraph, so a few
 * characters can become millions of elements.
 */
const EXTRA_ELEMENTS = 1_000

type Danger = Readonly<{ detail: string; at: Location }>
type Location = Readonly<{ line: number; offset: number }>

const BEGINNING: Location = { line: 1, offset: 0 }

/** A first pass without locations is faster, and nearly all mail has no flaw. */
export function findFlaws(html: string): readonly HtmlFlaw[] {
  const [first] = dangersIn(html, { isLocated: false, depth: 0 })
  if (first === undefined) return []
  const byWords = new Map<string, Danger>()
  for (const danger of dangersIn(html, { isLocated: true, depth: 0 })) {
    byWords.set(`${danger.at.line} ${danger.detail}`, danger)
  }
  const inOrder = [...byWords.values()].toSorted((one, other) => one.at.offset - other.at.offset)
  return inOrder.slice(0, MOST_FLAWS).map(({ detail, at }) => ({ detail, line: at.line }))
}

type ReadOptions = Readonly<{ isLocated: boolean; depth: number }>

function* dangersIn(html: string, options: ReadOptions): Generator<Danger> {
  if (options.depth > DEEPEST) {
    yield { detail: `html in html, more than ${DEEPEST} deep`, at: BEGINNING }
    return
  }
  try {
    for (const root of readingsOf(html, options)) yield* dangersUnder(root, options)
  } catch (error) {
    if (!(error instanceof Overgrown)) throw error
    yield { detail: 'too many elements that are left open', at: BEGINNING }
  }
}

/** Clients differ: scripting on or off, as a page or as a fragment, and `select` by the old or the new rules. */
function* readingsOf(html: string, { isLocated }: ReadOptions): Generator<Tree.ParentNode> {
  // Renamed, because by the new rules the content of a `select` is parsed like any other element.
  const texts = /<select/i.test(html) ? [html, html.replace(/<select/gi, '<choice')] : [html]
  const scriptings = /<noscript/i.test(html) ? [false, true] : [false]
  const reads = /<frameset/i.test(html) ? [parse, parseFragment] : [parse]
  for (const text of texts) {
    for (const scriptingEnabled of scriptings) {
      const options = { scriptingEnabled, sourceCodeLocationInfo: isLocated }
      const most = html.length + EXTRA_ELEMENTS
      for (const read of reads) yield read(text, { ...options, treeAdapter: countingAdapter(most) })
    }
  }
}

class Overgrown extends Error {}

function countingAdapter(most: number): typeof defaultTreeAdapter {
  let count = 0
  return {
    ...defaultTreeAdapter,
    createElement(...element) {
      count += 1
      if (count > most) throw new Overgrown()
      return defaultTreeAdapter.createElement(...element)
    },
  }
}

/** Without recursion: mail may be nested as deep as it is long. */
function* dangersUnder(root: Tree.ParentNode, options: ReadOptions): Generator<Danger> {
  const left: Tree.Node[] = [root]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if ('tagName' in node) yield* dangersAt(node, options)
    if ('childNodes' in node) for (const child of node.childNodes) left.push(child)
    if ('content' in node) left.push(node.content)
  }
}

function* dangersAt(element: Tree.Element, options: ReadOptions): Generator<Danger> {
  for (const { detail, attribute } of dangersOf(element)) yield { detail, at: locationOf(element, attribute) }
  if (element.tagName === 'style' && isDangerousStyle(textOf(element))) {
    yield { detail: 'a script in a style element', at: locationOf(element) }
  }
  for (const attribute of element.attrs) {
    if (attribute.name !== 'srcdoc') continue
    for (const { detail } of dangersIn(attribute.value, { isLocated: false, depth: options.depth + 1 })) {
      yield { detail: `${detail} in srcdoc`, at: locationOf(element, attribute) }
    }
  }
}

const textOf = ({ childNodes }: Tree.Element): string =>
  childNodes.map((child) => ('value' in child ? child.value : '')).join('')

function locationOf({ sourceCodeLocation: location }: Tree.Element, attribute?: Attribute): Location {
  const exact = (attribute && location?.attrs?.[nameOf(attribute)]) ?? location
  return exact == null ? BEGINNING : { line: exact.startLine, offset: exact.startOffset }
}
