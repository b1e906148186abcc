/** Dangers inserted anywhere into generated mail, in every disguise that a browser sees through. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findFlaws } from './flaws.ts'

const inAnyCase = (word: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
    .map((upper) => [...word].map((letter, place) => (upper[place] ? letter.toUpperCase() : letter)).join(''))

/** Each letter as it is or as an entity, with characters in between that browsers skip. */
const disguised = (word: string): fc.Arbitrary<string> =>
  inAnyCase(word).chain((cased) =>
    fc
      .array(fc.tuple(fc.constantFrom('', '&Tab;', '&#10;', '\t', '\r\n'), fc.integer({ min: 0, max: 3 })), {
        minLength: cased.length,
        maxLength: cased.length,
      })
      .map((ways) => [...cased].map((letter, place) => disguise(letter, ways[place])).join('')),
  )

function disguise(letter: string, [skipped, way]: readonly [string, number] = ['', 0]): string {
  const code = letter.charCodeAt(0)
  return skipped + [letter, letter, `&#${code};`, `&#x${code.toString(16)};`][way]
}

const space = fc.constantFrom(' ', '\n', '\t', '/', ' / ')
const tag = fc.constantFrom('a', 'p', 'img', 'div', 'svg', 'b', 'input', 'v:rect', 'x-y')
const blank = fc.constantFrom('', ' ', '&#1;', '\n&#32;')

const script = fc
  .tuple(inAnyCase('script'), fc.constantFrom('', ' ', '/', ' async'))
  .map(([name, rest]) => `<${name}${rest}></script>`)
const handler = fc
  .tuple(
    tag,
    space,
    fc.constantFrom('onclick', 'onerror', 'onload', 'onpointerrawupdate').chain(inAnyCase),
    fc.constantFrom('', '=x', " = 'x'"),
  )
  .map(([tag, space, name, value]) => `<${tag}${space}${name}${value}>`)
const address = fc
  .tuple(
    tag,
    fc.constantFrom('href', 'src', 'action', 'formaction', 'background', 'poster', 'xlink:href').chain(inAnyCase),
    blank,
    fc.constantFrom('javascript:', 'vbscript:', 'data:text/html,').chain(disguised),
  )
  .map(([tag, name, blank, url]) => `<${tag} ${name}="${blank}${url}x">`)
const styled = fc
  .tuple(tag, inAnyCase('url('), inAnyCase('javascript:'))
  .map(([tag, url, scheme]) => `<${tag} style="background:${url}${scheme}x)">`)
const refresh = inAnyCase('javascript:').map((scheme) => `<meta http-equiv=refresh content="0;url=${scheme}x">`)
const bare = fc.oneof(script, handler, address, styled, refresh)
const framed = bare.map(
  (html) => `<iframe srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`,
)
const danger = fc.oneof({ weight: 9, arbitrary: bare }, { weight: 1, arbitrary: framed })

const text = fc.constantFrom('Hi', 'a &lt;script&gt;', 'javascript:x', ' onclick=x ', '&amp;', 'é ™ 漢', '\n')
const attributes = fc.constantFrom(
  '',
  ' href="https://x.example/?a=javascript:b"',
  ' style="color:red;background:url(cid:a)"',
  ' alt="javascript: a script" title=onclick',
  ' src="data:image/png;base64,AAAA"',
  ' class=only width=1',
)
const container = fc.constantFrom(
  ...['div', 'p', 'span', 'a', 'b', 'center', 'ul', 'li', 'h1', 'font', 'blockquote', 'svg', 'math', 'template'],
  ...['noscript', 'select', 'table', 'tr', 'td', 'button', 'form', 'body', 'html', 'head', 'v:rect', 'o:p', 'frameset'],
)
const whole = fc.constantFrom(
  '<br>',
  '<hr/>',
  '<!-- <script> -->',
  '<!--[if mso]><v:rect onclick="x"><![endif]-->',
  '<style>.a{color:red} v\\:*{behavior:url(#default#VML)}</style>',
  '<title>a b</title>',
  '<!doctype html>',
)

/** As people write it: most elements are closed, some are not. */
const { mail } = fc.letrec<{ mail: string; element: string }>((tie) => ({
  mail: fc
    .array(fc.oneof({ maxDepth: 5 }, text, whole, tie('element')), { maxLength: 4 })
    .map((parts) => parts.join('')),
  element: fc
    .tuple(container, attributes, tie('mail'), fc.boolean())
    .map(([name, attributes, inside, closed]) => `<${name}${attributes}>${inside}${closed ? `</${name}>` : ''}`),
}))

test('never reports mail without danger, however it is written', () => {
  fc.assert(
    fc.property(mail, (html) => assert.deepEqual(findFlaws(html), [])),
    { numRuns: 1_000 },
  )
})

test('finds one danger wherever it is and however it is disguised', () => {
  const property = fc.property(mail, danger, mail, fc.nat(), (before, danger, after, seed) => {
    // Between two tags: inside one it would be part of an attribute.
    const gaps = [...before.matchAll(/(?<=>)(?=<)/g)].map(({ index }) => index).filter((at) => isOutside(before, at))
    const at = gaps[seed % Math.max(gaps.length, 1)] ?? before.length
    const html = before.slice(0, at) + danger + before.slice(at) + after
    assert.notEqual(findFlaws(html).length, 0)
  })
  fc.assert(property, { numRuns: 2_000 })
})

/** Not in a comment, a title or a style sheet. */
const isOutside = (html: string, at: number): boolean =>
  ['<!--', '<title', '<style'].every((opening) => {
    const from = html.lastIndexOf(opening, at - 1)
    const closing = { '<!--': '-->', '<title': '</title>', '<style': '</style>' }[opening] ?? ''
    return from === -1 || html.indexOf(closing, from) + closing.length <= at
  })

test('reading any bytes ends with an answer', () => {
  const noise = fc.array(fc.constantFrom(...'<>/="\'&;-! abonscript:\n\0', '<script', '<svg', '<!--', ']]>'), {
    maxLength: 200,
  })
  fc.assert(
    fc.property(noise, (parts) => {
      for (const { detail, line } of findFlaws(parts.join(''))) assert.ok(detail.length > 0 && line >= 1)
    }),
    { numRuns: 1_000 },
  )
})
