import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFlaws } from './flaws.ts'

const detailsOf = (html: string): string[] => findFlaws(html).map(({ detail }) => detail)

const SCRIPT = 'a script element'
const handler = (name: string): string => `an event handler (${name})`
const url = (attribute: string, scheme = 'javascript:'): string => `a ${scheme} URL in ${attribute}`

const DANGEROUS: readonly (readonly [html: string, detail: string])[] = [
  ['<script>alert(1)</script>', SCRIPT],
  ['<p>Hi<ScRiPt src=//x.example>', SCRIPT],
  ['<script/x>', SCRIPT],
  ['<script\n>', SCRIPT],
  ['<svg><script>1</script></svg>', SCRIPT],
  ['<math><mtext><script>1</script></mtext></math>', SCRIPT],
  ['<template><p><script>1</script></template>', SCRIPT],
  ['<noscript><script>1</script></noscript>', SCRIPT],
  ['<noscript><p title="</noscript><script>1</script>">', SCRIPT],
  ['<table><script>1</script></table>', SCRIPT],
  ['<select><option>a<script>1</script></select>', SCRIPT],
  ['<title></title><script>1</script>', SCRIPT],
  ['<style></style><script>1</script>', SCRIPT],
  ['<textarea></textarea><script>1</script>', SCRIPT],
  ['<!-- > --><script>1</script>', SCRIPT],
  ['<!--><script>1</script>-->', SCRIPT],
  ['<![if !mso]><script>1</script><![endif]>', SCRIPT],
  ['<![CDATA[><script>1</script>]]>', SCRIPT],
  ['<svg><style><script>1</script></style></svg>', SCRIPT],
  ['<p onclick="x()">', handler('onclick')],
  ['<p ONCLICK=x>', handler('onclick')],
  ['<img/src="x"/onerror=x>', handler('onerror')],
  ['<img src=x\nonerror\n=\nx>', handler('onerror')],
  ['<p title="a"onmouseover=x>', handler('onmouseover')],
  ['<svg onload=x>', handler('onload')],
  ['<body><p>Hi<body onload=x>', handler('onload')],
  ['<frameset onload=x>', handler('onload')],
  ['<frameset><img src=x onerror=x>', handler('onerror')],
  ['<select><img src=x onerror=x></select>', handler('onerror')],
  ['<frameset><noscript><select><img src=x onerror=x>', handler('onerror')],
  ['<table><td onclick=x>', handler('onclick')],
  ['<svg><set attributeName=onclick to=x></svg>', handler('onclick')],
  ['<p onclick1=x>', 'an event handler'],
  ['<p onana@example.com=x>', 'an event handler'],
  ['<a href="javascript:x">', url('href')],
  ['<a href=JAVASCRIPT:x>', url('href')],
  ['<a href=" \t\njavascript:x">', url('href')],
  ['<a href="&#1;&#x20;javascript:x">', url('href')],
  ['<a href="java&#10;scr&Tab;ipt&colon;x">', url('href')],
  ['<a href="&#106;&#x61vascript:x">', url('href')],
  ['<a href="vbscript:x">', url('href', 'vbscript:')],
  ['<a href="data:text/html,x">', url('href', 'data:')],
  ['<a href="data: TEXT/HTML ;base64,x">', url('href', 'data:')],
  ['<a href="data:application/xhtml+xml,x">', url('href', 'data:')],
  ['<iframe src="data:text/html,x">', url('src', 'data:')],
  ['<iframe src="data:image/svg+xml,x">', url('src', 'data:')],
  ['<object data="data:text/html,x">', url('data', 'data:')],
  ['<object data="javascript:x">', url('data')],
  ['<embed src="javascript:x">', url('src')],
  ['<applet code="javascript:x">', url('code')],
  ['<img src="javascript:x">', url('src')],
  ['<img srcset="a.png 1x, javascript:x 2x">', url('srcset')],
  ['<form action="javascript:x">', url('action')],
  ['<button formaction="javascript:x">', url('formaction')],
  ['<video poster="javascript:x">', url('poster')],
  ['<table><td background="javascript:x">', url('background')],
  ['<base href="javascript:x">', url('href')],
  ['<svg><a xlink:href="javascript:x">', url('xlink:href')],
  ['<svg><a href="javascript:x">', url('href')],
  ['<svg><animate attributeName=href values="a;javascript:x">', url('values')],
  ['<math href="javascript:x">', url('href')],
  ['<meta http-equiv=Refresh content="0; URL = \'javascript:x\'">', url('content')],
  ['<meta http-equiv=refresh content="0,java&#10;script:x">', url('content')],
  ['<meta http-equiv=refresh content="0;data:text/html,x">', url('content', 'data:')],
  ['<p style="background:url(javascript:x)">', 'a script in style'],
  ['<p style="background:URL( \'java&#9;script:x\')">', 'a script in style'],
  ['<p style="background:\\75rl(\\6a avascript:x)">', 'a script in style'],
  ['<p style="content:\'/*\';background:url(javascript:x)">', 'a script in style'],
  ['<p style="width:expre/**/ssion(x)">', 'a script in style'],
  ['<style>@import "javascript:x"</style>', 'a script in a style element'],
  ['<iframe srcdoc="<script>x</script>">', `${SCRIPT} in srcdoc`],
  ['<iframe srcdoc="&lt;p onclick=x&gt;">', `${handler('onclick')} in srcdoc`],
  ['<iframe srcdoc="&lt;iframe srcdoc=&quot;<script>&quot;&gt;">', `${SCRIPT} in srcdoc in srcdoc`],
]

for (const [html, detail] of DANGEROUS) {
  test(`${html} has ${detail}`, () => {
    assert.deepEqual(detailsOf(html), [detail])
  })
}

const HARMLESS: readonly string[] = [
  '',
  'Just text, with a < b and c > d & e',
  '<p>write &lt;script&gt; and onclick="x" and javascript: as much as you like</p>',
  '<a href="https://x.example/?next=javascript:x">a</a>',
  '<a href="/javascript:x">a</a>',
  '<a href="#javascript:x">a</a>',
  '<a href="mailto:ana@x.example?subject=Hi">a</a><a href="tel:+1500">b</a><a href="sms:+1500">c</a>',
  '<img src="cid:logo" alt="JavaScript: the good parts" title="javascript:x">',
  '<img src="data:image/png;base64,iVBOR"><img src="data:image/svg+xml,x">',
  '<img srcset="https://x.example/a.png 1x, data:image/png;base64,iVBOR 2x">',
  '<a href="data:text/plain,x">a</a>',
  '<!-- <script>x</script> --><p>Hi',
  '<!--[if mso]><table><tr><td onclick="x"><![endif]--><p>Hi<!--[if mso]></td></tr></table><![endif]-->',
  '<!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG/></o:OfficeDocumentSettings></xml><![endif]-->',
  '<style>v\\:* {behavior:url(#default#VML);} @import url("https://x.example/a.css"); .on{}</style>',
  '<v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" href="https://x.example" arcsize="8%"><o:p></o:p></v:roundrect>',
  '<p style="background:url(https://x.example/a.png);mso-line-height-rule:exactly">Hi</p>',
  '<title>How to write <script> in html</title>',
  '<textarea><script>x</script></textarea>',
  '<input on="x" data-onclick="y" on-x="z">',
  '<meta http-equiv="Content-Type" content="text/html; charset=utf-8"><meta name="viewport" content="width=600">',
  '<meta http-equiv=refresh content="5; url=https://x.example">',
  '<iframe srcdoc="<p>Hi</p>" src="https://x.example"></iframe>',
  '<noscript><p>Hi</noscript><select><option>a</select>',
  '<svg viewBox="0 0 1 1"><path d="M0 0"/><a xlink:href="https://x.example"/></svg>',
  `<p>${'<b>'.repeat(3_000)}Hi`,
  '<p><font color=red><b><i>One<p>two<p>three<p>four'.repeat(50),
]

for (const html of HARMLESS) {
  test(`allows ${html.slice(0, 80)}`, () => {
    assert.deepEqual(findFlaws(html), [])
  })
}

test('reports at most five flaws in document order, each with its line', () => {
  const html =
    '<p>\n<a\nonclick=x\nhref="javascript:x">\r\n<script>1</script>\n<table><p onfocus=x></table>\n<i onblur=x>'
  assert.deepEqual(findFlaws(`${html}<i onplay=x>`), [
    { detail: handler('onclick'), line: 3 },
    { detail: url('href'), line: 4 },
    { detail: SCRIPT, line: 5 },
    { detail: handler('onfocus'), line: 6 },
    { detail: handler('onblur'), line: 7 },
  ])
})

test('reports a flaw once per line, also where the parser reopens the element', () => {
  assert.deepEqual(findFlaws('<p><b onclick=x>one</p><p>two<script></script><script></script>'), [
    { detail: handler('onclick'), line: 1 },
    { detail: SCRIPT, line: 1 },
  ])
})

test('refuses unclosed elements before they multiply', () => {
  const opened = Array.from({ length: 2_000 }, (_, place) => `<b id=${place}>`).join('')
  assert.deepEqual(detailsOf(`<p>${opened}${'<p>x'.repeat(50_000)}`), ['too many elements that are left open'])
})

test('reads html nested in html, up to a depth', () => {
  const quoted = (html: string): string => html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  let html = '<p>Hi'
  for (let depth = 0; depth < 3; depth += 1) html = `<iframe srcdoc="${quoted(html)}">`
  assert.deepEqual(detailsOf(html), [])
  assert.match(detailsOf(`<iframe srcdoc="${quoted(html)}">`)[0] ?? '', /^html in html, more than 3 deep/)
})

const LARGEST = 512 * 1024
for (const [name, html] of [
  ['nested', '<b>'.repeat(LARGEST / 3)],
  ['broad', '<br>'.repeat(LARGEST / 4)],
  ['comments that are left open', `<style>${'/*'.repeat(LARGEST / 2)}</style>`],
  ['spaces', `<p style="url(${' '.repeat(LARGEST)}">`],
  ['tabs in an address', `<a href="${'j\t'.repeat(LARGEST / 2)}">`],
  ['attributes', `<p ${Array.from({ length: 60_000 }, (_, place) => `a${place}`).join(' ')}>`],
] as const) {
  // Quadratic time would take minutes.
  test(`reads the largest mail of nothing but ${name} in time`, { timeout: 60_000 }, () => {
    assert.deepEqual(findFlaws(html), [])
  })
}
