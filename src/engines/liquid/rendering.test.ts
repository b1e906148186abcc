import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TemplateTexts } from '../../domain/directory/template.ts'
import type { TemplateData } from '../../domain/directory/template-data.ts'
import { openRendering } from './rendering.ts'

const { check, ...rendering } = openRendering()
const render = (texts: TemplateTexts, data: TemplateData) => rendering.render(texts, data).result

function textOf(text: string, data: TemplateData = {}): string {
  const rendered = render({ text }, data)
  assert.equal(rendered.kind, 'ok', JSON.stringify(rendered))
  return rendered.texts.text
}

test('renders variables, conditions, loops and filters', () => {
  assert.equal(textOf('Hi {{ name | upcase }}!', { name: 'Zoë' }), 'Hi ZOË!')
  const order = { id: 7, items: [{ name: 'tea' }, { name: 'milk' }] }
  const template =
    '{{ order.id }}: {% for item in order.items %}{{ item.name }}{% unless forloop.last %}, {% endunless %}{% endfor %}'
  assert.equal(textOf(template, { order }), '7: tea, milk')
  assert.equal(textOf('{% if a contains "b" %}{{ a | replace: "b", "c" }}{% endif %}', { a: 'abc' }), 'acc')
  assert.equal(textOf('{{ at | date: "%d.%m.%Y %H:%M" }}', { at: '2030-01-31T12:00:00Z' }), '31.01.2030 12:00')
  assert.equal(textOf('{% increment n %}{% increment n %}'), '01')
})

test('escapes html, but not text and subject', () => {
  const texts = { text: '{{ a }}', subject: '{{ a }}', html: '<p>{{ a }}</p>{{ a | raw }}' }
  const rendered = render(texts, { a: '<b> & "c"' })
  assert.deepEqual(rendered, {
    kind: 'ok',
    texts: { text: '<b> & "c"', subject: '<b> & "c"', html: '<p>&lt;b&gt; &amp; &#34;c&#34;</p><b> & "c"' },
  })
})

test('names all missing variables of all parts, each once', () => {
  const texts = {
    text: '{{ a }} {{ b.c.d }} {{ a }} {% for i in list %}{{ i }}{% endfor %}',
    subject: '{{ s }} {{ a }}',
  }
  assert.deepEqual(render(texts, { b: { c: {} } }), {
    kind: 'missing',
    names: ['a', 'b.c.d', 'list', 's'],
  })
})

test('a variable may be missing where the template handles it', () => {
  assert.equal(textOf('{% if a %}{{ a }}{% else %}none{% endif %} {{ b | default: "some" }}'), 'none some')
  assert.equal(textOf('{{ a }}{{ b }}', { a: null, b: '' }), '')
})

test('inherited properties are no variables, filters or tags', () => {
  const names = ['constructor', '__proto__', 'toString', 'a.constructor', 'a.__proto__', 'hasOwnProperty']
  const text = names.map((name) => `{{ ${name} }}`).join('')
  assert.deepEqual(render({ text }, { a: {} }), { kind: 'missing', names })
  for (const text of ['{{ 1 | constructor }}', '{{ 1 | valueOf }}', '{% constructor %}', '{% toString %}']) {
    assert.equal(check({ text }).kind, 'faulty', text)
  }
})

test('counters and assignments do not outlive a call', () => {
  const data = Object.freeze({ n: 5 })
  assert.equal(textOf('{% increment n %}{% assign x = 1 %}', data), '5')
  assert.equal(render({ text: '{{ x }}' }, data).kind, 'missing')
})

test('reports what is wrong with a template, in which part and where', () => {
  const texts = { text: 'ok\n  {{ a | nope }} {{ b | huh }}', html: '<p>{% if a %}</p>' }
  assert.deepEqual(check(texts), {
    kind: 'faulty',
    flaws: [
      { part: 'text', line: 2, column: 3, message: 'undefined filter: nope' },
      { part: 'text', line: 2, column: 18, message: 'undefined filter: huh' },
      { part: 'html', line: 1, column: 4, message: 'tag {% if a %} not closed' },
    ],
  })
  for (const text of ['{{ a', '{% if %}', '{% endif %}', '{% for x %}{% endfor %}', '{{ a | }}{% if a', '{% nope %}']) {
    assert.equal(check({ text }).kind, 'faulty', text)
  }
  assert.deepEqual(check({ text: 'Hi {{ name }}' }), { kind: 'ok' })
})

test('renders a long template with few tags', () => {
  const html = `${'<p>plain</p>'.repeat(40_000)}{{ a }}`
  const rendered = render({ text: '', html }, { a: 1 })
  assert.equal(rendered.kind === 'ok' && rendered.texts.html?.length, html.length - '{{ a }}'.length + 1)
})

test('a template cannot include files or other templates', () => {
  for (const tag of ['include', 'render', 'layout']) {
    assert.equal(check({ text: `{% ${tag} "/etc/hostname" %}` }).kind, 'faulty')
  }
})

test('an error in the data reports its position and nothing of the data', () => {
  const rendered = render({ text: 'Hi {{ secret | url_decode }}' }, { secret: '%s3cret' })
  const flaws = [{ part: 'text', line: 1, column: 4, message: 'cannot be filled in' }]
  assert.deepEqual(rendered, { kind: 'faulty', flaws })
})

const A = 'a'.repeat(30_000)
const LONG = '{% for i in (1..13) %}{{ a }}{% endfor %}'
const TWO_LONG = `{% capture b %}${LONG}x{% endcapture %}{% capture c %}${LONG}y{% endcapture %}`
const HOSTILE: Readonly<Record<string, readonly [string, TemplateData?]>> = {
  'loops in loops': ['{% for i in (1..9000) %}{% for j in (1..9000) %}x{% endfor %}{% endfor %}'],
  'loops over nothing': ['{% for i in (1..90) %}{% for j in (1..99999) %}{% endfor %}{% endfor %}'],
  'a range of a billion': ['{% for i in (1..999999999) %}{% endfor %}'],
  'a range without end': ['{% for i in (1..n) %}{% endfor %}', { n: '1e999' }],
  'a joined range': ['{{ (1..999999999) | join }}'],
  'a range looked through': ['{% assign r = (1..90000) %}{% if r contains "x" %}{% endif %}'],
  'doubling by filter': ['{% assign a = "x" %}{% for i in (1..99) %}{% assign a = a | append: a %}{% endfor %}'],
  'doubling by capture': [
    '{% assign a = "x" %}{% for i in (1..24) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}',
  ],
  'a long output': ['{% for i in (1..50) %}{{ a }}{% endfor %}', { a: A }],
  'a text sought everywhere': ['{{ a | remove: b }}', { a: A, b: `b${A}` }],
  'a text contained nowhere': ['{% if a contains b %}{% endif %}', { a: A, b: `b${A}` }],
  'a chain of filters': [`{{ a${' | url_encode'.repeat(5000)} }}`, { a: A }],
  'a crowd of conditions': [`${TWO_LONG}{% if ${'b == c or '.repeat(6000)} b == c %}{% endif %}`, { a: A }],
  'a crowd of cases': [`${TWO_LONG}{% case b %}{% when ${'c,'.repeat(31_000)} c %}{% endcase %}`, { a: A }],
  'deep nesting': ['{% if a %}'.repeat(4000) + '{% endif %}'.repeat(4000), { a: 1 }],
  'deep nesting that nobody closes': ['{% for i in (1..2) %}'.repeat(4000)],
  'deep places': [`{{ ${'a['.repeat(15_000)}0${']'.repeat(15_000)} }}`, { a: [0] }],
  'deep data': ['{{ a }}', { a: JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) }],
  'a crowd in one tag': [`{% case a %}{% when ${'a,'.repeat(250_000)} a %}{% endcase %}`, { a: 1 }],
  'too many tags': ['{{ a }}'.repeat(50_000), { a: 1 }],
  'a huge template': ['x'.repeat(700_000)],
  'a wide date': ['{{ "now" | date: "%999999999d" }}'],
  'a long list sorted': ['{{ a | split: "" | sort }}', { a: A }],
}

/** Of the thread's own time, because other tests share the machine. Most take a twentieth of that. */
const SOON_MS = 1_500

for (const [name, [text, data = {}]] of Object.entries(HOSTILE)) {
  test(`${name} exceeds the budget and fails soon`, () => {
    for (const texts of [{ text }, { text: '', html: `${text}${text.length < 1000 ? text.repeat(9) : ''}` }]) {
      const begunAt = process.threadCpuUsage()
      const rendered = render(texts, data)
      const { user, system } = process.threadCpuUsage(begunAt)
      const took = (user + system) / 1_000
      assert.equal(rendered.kind, 'too-much', JSON.stringify(rendered).slice(0, 200))
      assert.ok(took < SOON_MS, `it took ${took} ms`)
    }
  })
}

test('a saved version is parsed once, and again when its texts are others', () => {
  const parsed = (text: string): number => {
    const begunAt = process.threadCpuUsage()
    rendering.render({ text }, { a: 1 }, { key: 'acme news en 1' })
    return process.threadCpuUsage(begunAt).user
  }
  const long = (last: string): string => `${'{% if a %}{{ a }}{% endif %}'.repeat(1_200)}${last}`
  const [first, again] = [parsed(long('x')), Math.min(parsed(long('x')), parsed(long('x')))]
  assert.ok(again < first, `${again} and ${first} µs`)
  const other = rendering.render({ text: 'other' }, {}, { key: 'acme news en 1' })
  assert.deepEqual(other.result, { kind: 'ok', texts: { text: 'other' } })
})

test('says whether more time might have helped', () => {
  const slow = '{% for i in (1..3000) %}{% for j in (1..9) %}{{ i }}{% endfor %}{% endfor %}'
  const options = { millis: 1 }
  const outcome = rendering.render({ text: '', html: slow }, {}, options)
  assert.deepEqual([outcome.result.kind, outcome.isTime], ['too-much', true])
  const large = rendering.render({ text: 'x'.repeat(700_000) }, {}, options)
  assert.deepEqual([large.result.kind, large.isTime], ['too-much', false])
  assert.equal(rendering.render({ text: 'x' }, {}, options).isTime, false)
})
