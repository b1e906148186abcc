import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { truncate, visibleText } from './preview.ts'

test('extracts the visible text of HTML in lines', () => {
  const html = `<!doctype html><html><head><title>No</title><style>p { color: red }</style></head>
    <body><!-- no --><h1>Hello,&nbsp;Ada</h1>Your <b>code</b> is
    <p>12&amp;34</p><table><tr><td>one</td><td>two</td></tr><tr><td>three</td></tr></table>
    <script>no()</script><template>no</template></body></html>`
  assert.equal(visibleText(html), 'Hello, Ada\nYour code is\n12&34\none two\nthree')
})

test('reads HTML of any depth and size', () => {
  assert.equal(visibleText(`${'<div>'.repeat(50_000)}deep`), 'deep')
  assert.equal(visibleText('<b>x</b>'.repeat(60_000)).length, 60_000)
  assert.equal(visibleText('<!--'.repeat(100_000)), '')
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (html) => assert.equal(typeof visibleText(html), 'string')))
})

test('truncates a long text, never within a character', () => {
  assert.equal(truncate('short'), 'short')
  assert.equal(truncate('x'.repeat(9000)), 'x'.repeat(4000))
  assert.equal(truncate(`${'x'.repeat(3999)}🕊${'x'.repeat(9000)}`), 'x'.repeat(3999))
})
