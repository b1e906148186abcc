/** The HTML of an email as the console passes it to the frame. It needs no browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import { toSafeMail } from '../../../console/src/ui/safe-mail.ts'

/** The body that the frame receives. */
const bodyOf = (html: string): string =>
  /<body[\s\S]*<\/body>/.exec(toSafeMail(html).source)?.[0].replace(/^<body>|<\/body>$/g, '') ?? ''

test('removes event handlers, however they are written', () => {
  assert.equal(bodyOf('<p onclick="x">a</p>'), '<p>a</p>')
  assert.equal(bodyOf('<p ONCLICK=x>a</p>'), '<p>a</p>')
  assert.equal(bodyOf('<p title=">" onclick=x>a</p>'), '<p title="&gt;">a</p>')
  assert.equal(bodyOf('<img/src="x"/onerror=x>'), '<img>')
  assert.equal(bodyOf('<body onload=x bgcolor=red>a'), '<body bgcolor="red">a')
  assert.equal(bodyOf('<template shadowrootmode=open><p onclick=x></template>a'), 'a')
})

test('sets styles aside, including those a pattern would miss', () => {
  assert.equal(bodyOf('<p title=">" style="color: red">a</p>'), '<p title="&gt;" data-style="color: red">a</p>')
  assert.deepEqual(toSafeMail('<style>p { color: red }</style>a').styles.slice(1), ['p { color: red }'])
  assert.equal(bodyOf('<p data-style="color: red" data-href="x">a</p>'), '<p>a</p>')
})

test('keeps inline images only, and reports blocked ones', () => {
  const inline = '<img src="data:image/png;base64,AAAA">'
  assert.equal(bodyOf(inline), inline)
  assert.equal(toSafeMail(inline).hasOutside, false)
  for (const outside of [
    '<img src=//x.example/a>',
    '<td background=//x.example/a>',
    '<p style="background:url(//x)">',
  ]) {
    assert.equal(toSafeMail(`<table>${outside}`).hasOutside, true, outside)
  }
})

test('keeps a srcset only if all candidates are inline', () => {
  const inline = '<img srcset="data:image/png;base64,AAAA 1x, data:image/png;base64,BBBB 2x">'
  assert.deepEqual([bodyOf(inline), toSafeMail(inline).hasOutside], [inline, false])
  for (const set of [
    'data:image/png;base64,AAAA 1x, https://x.example/a 2x',
    'data:image/png;base64,AAAA 1x,https://x.example/a 2x',
    'data:image/png;base64,AAAA, //x.example/a',
    'data:image/png;base64,AAAA ,//x.example/a',
    'https://x.example/a 2x, data:image/png;base64,AAAA 1x',
  ]) {
    const html = `<img srcset="${set}">`
    assert.deepEqual([bodyOf(html), toSafeMail(html).hasOutside], ['<img>', true], set)
  }
})

test('removes SVG attributes that refer to other origins', () => {
  for (const value of ['url(#a)', "url('#a')", 'url(data:image/png;base64,AAAA)', 'red']) {
    const html = `<svg><rect fill="${value}"></rect></svg>`
    assert.equal(bodyOf(html), html)
  }
  for (const value of ['url(https://x.example/a)', "URL( '//x.example/a')", 'url&#40;//x)', 'url(#a) url(//x)']) {
    const html = `<svg><rect filter="${value}"></rect></svg>`
    assert.deepEqual([bodyOf(html), toSafeMail(html).hasOutside], ['<svg><rect></rect></svg>', true], value)
  }
})

test('links show their address and do not navigate', () => {
  assert.equal(bodyOf('<a href="javascript:x" title=no>a</a>'), '<a data-href="" title="javascript:x">a</a>')
  assert.equal(bodyOf('<svg><a xlink:href="//x"></a></svg>'), '<svg><a data-href="" title="//x"></a></svg>')
})

test('keeps text that is not markup', () => {
  assert.equal(
    bodyOf('1 &lt; 2 &amp;amp; <xmp><b onclick=x></xmp>'),
    '1 &lt; 2 &amp;amp; <pre>&lt;b onclick=x&gt;</pre>',
  )
  assert.equal(bodyOf('<svg><xmp>&lt;img onerror=x></svg>'), '<svg><pre>&lt;img onerror=x&gt;</pre></svg>')
})

test('shows deeply nested and exploding HTML', () => {
  const deep = 50_000
  assert.equal(bodyOf('<div>'.repeat(deep)).length, '<div></div>'.length * deep)
  const fonts = Array.from({ length: 300 }, (_, size) => `<font size=${size}>`).join('')
  const { source } = toSafeMail(`<p>${fonts}${'<p>x'.repeat(3_000)}`)
  assert.ok(source.includes('<pre>&lt;p&gt;&lt;font size=0&gt;'), source.slice(0, 200))
})

const name = fc.constantFrom(
  ...['p', 'img', 'svg', 'math', 'mtext', 'mglyph', 'style', 'title', 'textarea', 'xmp', 'noscript', 'template'],
  ...['form', 'table', 'td', 'select', 'iframe', 'plaintext', 'desc', 'foreignObject', 'annotation-xml', 'a', 'body'],
)
const nested = '<img src=//x.example/a onerror=x style=color:red>'
const attribute = fc.constantFrom(
  ...['', ' onclick=x', ' style="color:red"', ' src=//x.example/a', ' href=javascript:x', ' name=body', ' =x"', ' a<b'],
  ...[` title="</title></textarea></style></xmp></noscript>--> ${nested}"`, ' encoding="text/html"'],
)
const piece = fc.oneof(
  fc.tuple(name, attribute, attribute).map(([tag, one, other]) => `<${tag}${one}${other}>`),
  name.map((tag) => `</${tag}>`),
  fc.constantFrom('<!--', '-->', '<![CDATA[', ']]>', nested, nested.replaceAll('<', '&lt;'), 'a', '"', "'", '>', '\0'),
)

test('any email is free of scripts, loads and links', () => {
  const property = fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
    const [, source = ''] = toSafeMail(pieces.join('')).source.split('<title>mail</title>')
    for (const scriptingEnabled of [true, false]) {
      for (const { tagName, attrs } of elementsOf(parse(source, { scriptingEnabled }))) {
        assert.doesNotMatch(tagName, /^(?:script|style|iframe|template|noscript|meta|link|base)$/)
        for (const { name } of attrs) assert.doesNotMatch(name, /^(?:on.*|style|src|href|name)$/)
      }
    }
  })
  fc.assert(property, { numRuns: 3_000 })
})

function* elementsOf(root: Tree.ParentNode): Generator<Tree.Element> {
  for (const child of root.childNodes) {
    if (!defaultTreeAdapter.isElementNode(child)) continue
    yield child
    yield* elementsOf(child)
    if ('content' in child) yield* elementsOf(child.content as Tree.DocumentFragment)
  }
}
