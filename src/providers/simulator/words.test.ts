import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { beginningOf, wordsOf } from './words.ts'

test('the words of html are what a reader sees, in lines', () => {
  const html = `<!doctype html><html><head><title>No</title><style>p { color: red }</style></head>
    <body><!-- no --><h1>Hello,&nbsp;Ada</h1>Your <b>code</b> is
    <p>12&amp;34</p><table><tr><td>one</td><td>two</td></tr><tr><td>three</td></tr></table>
    <script>no()</script><template>no</template></body></html>`
  assert.equal(wordsOf(html), 'Hello, Ada\nYour code is\n12&34\none two\nthree')
})

test('words are found in anything, however deep or wide it is', () => {
  assert.equal(wordsOf(`${'<div>'.repeat(50_000)}deep`), 'deep')
  assert.equal(wordsOf('<b>x</b>'.repeat(60_000)).length, 60_000)
  assert.equal(wordsOf('<!--'.repeat(100_000)), '')
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (html) => assert.equal(typeof wordsOf(html), 'string')))
})

test('a long text is cut, and never within a character', () => {
  assert.equal(beginningOf('short'), 'short')
  assert.equal(beginningOf('x'.repeat(9000)), 'x'.repeat(4000))
  assert.equal(beginningOf(`${'x'.repeat(3999)}🕊${'x'.repeat(9000)}`), 'x'.repeat(3999))
})
