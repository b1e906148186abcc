/**
 * Finds what mail must not bring along: scripts, event handlers, and addresses that run something. A parser that reads
 * as browsers do finds them, because a pattern is fooled by whatever they forgive. Takes a time that grows with the
 * length of the html and no faster.
 */
import { defaultTreeAdapter, parse, parseFragment, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import type { HtmlFlaw } from '../../ports/html-inspector.ts'
import { type Attribute, dangersOf, nameOf } from './dangers.ts'
import { isDangerousStyle } from './styles.ts'

const MOST_FLAWS = 5
/** Html in an attribute of html in an attribute: nobody writes more of it. */
const DEEPEST = 3
/** Beside one for each letter. Elements left open are opened again in every paragraph, and a few letters become millions. */
const SPARE_ELEMENTS = 1_000

type Danger = Readonly<{ detail: string; at: Place }>
type Place = Readonly<{ line: number; offset: number }>

const BEGINNING: Place = { line: 1, offset: 0 }

/** Where nothing is found, as in nearly all mail, nobody needs to know where it stands. */
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

type Manner = Readonly<{ isLocated: boolean; depth: number }>

function* dangersIn(html: string, manner: Manner): Generator<Danger> {
  if (manner.depth > DEEPEST) {
    yield { detail: `html in html, more than ${DEEPEST} deep`, at: BEGINNING }
    return
  }
  try {
    for (const root of readingsOf(html, manner)) yield* dangersUnder(root, manner)
  } catch (error) {
    if (!(error instanceof Overgrown)) throw error
    yield { detail: 'too many elements that are left open', at: BEGINNING }
  }
}

/** Not all read alike: with scripts turned on or off, as a page or as part of one, and selections by old rules or new ones. */
function* readingsOf(html: string, { isLocated }: Manner): Generator<Tree.ParentNode> {
  // Any other name: by the new rules what stands in a selection is an element like others.
  const texts = /<select/i.test(html) ? [html, html.replace(/<select/gi, '<choice')] : [html]
  const scriptings = /<noscript/i.test(html) ? [false, true] : [false]
  const reads = /<frameset/i.test(html) ? [parse, parseFragment] : [parse]
  for (const text of texts) {
    for (const scriptingEnabled of scriptings) {
      const options = { scriptingEnabled, sourceCodeLocationInfo: isLocated }
      const most = html.length + SPARE_ELEMENTS
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

/** Without recursion: a mail may be nested as deep as it is long. */
function* dangersUnder(root: Tree.ParentNode, manner: Manner): Generator<Danger> {
  const left: Tree.Node[] = [root]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if ('tagName' in node) yield* dangersAt(node, manner)
    if ('childNodes' in node) for (const child of node.childNodes) left.push(child)
    if ('content' in node) left.push(node.content)
  }
}

function* dangersAt(element: Tree.Element, manner: Manner): Generator<Danger> {
  for (const { detail, attribute } of dangersOf(element)) yield { detail, at: placeOf(element, attribute) }
  if (element.tagName === 'style' && isDangerousStyle(textOf(element))) {
    yield { detail: 'a script in a style element', at: placeOf(element) }
  }
  for (const attribute of element.attrs) {
    if (attribute.name !== 'srcdoc') continue
    for (const { detail } of dangersIn(attribute.value, { isLocated: false, depth: manner.depth + 1 })) {
      yield { detail: `${detail} in srcdoc`, at: placeOf(element, attribute) }
    }
  }
}

const textOf = ({ childNodes }: Tree.Element): string =>
  childNodes.map((child) => ('value' in child ? child.value : '')).join('')

function placeOf({ sourceCodeLocation: place }: Tree.Element, attribute?: Attribute): Place {
  const exact = (attribute && place?.attrs?.[nameOf(attribute)]) ?? place
  return exact == null ? BEGINNING : { line: exact.startLine, offset: exact.startOffset }
}
