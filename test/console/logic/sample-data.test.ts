/** Sample data for templates, compared with the gateway's renderer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Data, guessData, parseData, withSamples } from '../../../console/src/pages/templates/sample-data.ts'
import type { TemplateData } from '../../../src/domain/directory/template-data.ts'
import { openRendering } from '../../../src/engines/liquid/rendering.ts'
import { TEXTS } from '../texts.ts'

const SAMPLES = TEXTS.templates.samples
const rendering = openRendering()

/** The gateway's rendering with this data. */
const render = (text: string, data: Data) => rendering.render({ text }, data as TemplateData).result

/** Renders after filling in the missing values as often as needed. */
async function filled(text: string, presses = 3): Promise<string | undefined> {
  let data = guessData(text)
  for (let press = 0; press <= presses; press += 1) {
    const shown = await render(text, data)
    if (shown.kind === 'ok') return shown.texts.text
    assert.equal(shown.kind, 'missing')
    if (shown.kind !== 'missing') return undefined
    const places = shown.names.map((name) => `/data/${name.replaceAll('.', '/')}`)
    data = withSamples(data, places, text)
  }
  return undefined
}

test('a template without variables needs no data', () => {
  for (const text of ['', 'Hello', '{ name }', '{% comment %}nothing{% endcomment %}']) {
    assert.deepEqual(guessData(text), {})
  }
})

test('derives samples from variable names', () => {
  const text = '{{ first_name }} {{ email }} {{ order_url }} {{otp}} {{- colour -}} {{ total_amount }}'
  assert.deepEqual(guessData(text), {
    first_name: SAMPLES.name,
    email: SAMPLES.email,
    order_url: SAMPLES.url,
    otp: SAMPLES.code,
    colour: 'colour',
    total_amount: SAMPLES.amount,
  })
})

test('field access makes an object, iteration makes a list', () => {
  const text = '{{ user.name }} {% for item in order.items %}{{ item.title }}{% endfor %} {{ order.items.size }}'
  assert.deepEqual(guessData(text), {
    user: { name: SAMPLES.name },
    order: { items: [{ title: 'title' }, { title: 'title' }] },
  })
})

test('size, first and last do not make an object', () => {
  assert.deepEqual(guessData('{{ items.size }} {{ items.first }}'), { items: 'items' })
})

test('distinguishes similar names', () => {
  assert.deepEqual(guessData('{{ user.id }} {{ user_id.part }}'), {
    user: { id: SAMPLES.number },
    user_id: { part: 'part' },
  })
})

test('ignores assigned variables and keywords', () => {
  const text = `{% assign total = price %}{% capture words %}x{% endcapture %}{{ total }}{{ words }}
    {% if price == nil or true %}{% endif %}{% for x in list %}{{ forloop.index }}{{ x }}{% endfor %}`
  assert.deepEqual(Object.keys(guessData(text)).toSorted(), ['list', 'price'])
})

test('fills in missing values until the template renders', async () => {
  const templates = [
    'Hello {{ name }}, {{ order.id }} of {{ order.shop.city }}',
    '{% for item in items %}{{ item.name }} {{ item.price.amount }};{% endfor %}{{ items.size }}',
    '{% if user.vip %}{{ user.name | upcase }}{% else %}{{ guest }}{% endif %}',
    '{% unless paid %}{{ link }}{% endunless %}{% case kind %}{% when "a" %}{{ a }}{% endcase %}',
    '{{ "Dear " | append: name }} {{ a | default: b }}',
    '{% for row in table.rows %}{% for cell in row.cells %}{{ cell.text }}{% endfor %}{% endfor %}',
    '{% assign first = order.lines | first %}{{ first }}{% capture x %}{{ y.z }}{% endcapture %}{{ x }}',
  ]
  for (const text of templates) assert.notEqual(await filled(text), undefined, text)
})

test('fills in values at any depth until the template renders', async () => {
  const name = fc.constantFrom('a', 'b', 'user', 'url', 'x_1', 'constructor')
  const place = fc.array(name, { minLength: 1, maxLength: 4 }).map((path) => path.join('.'))
  const text = fc.array(place, { maxLength: 4 }).map((places) => places.map((one) => `[{{ ${one} }}]`).join(''))
  await fc.assert(
    fc.asyncProperty(text, async (one) => {
      assert.notEqual(await filled(one, 6), undefined, one)
    }),
    { numRuns: 200 },
  )
})

test('keeps existing values', () => {
  const data = { name: 'Mine', order: { id: 7 } }
  const text = '{{ name }} {{ order.id }} {{ order.date }}'
  assert.deepEqual(withSamples(data, ['/data/order/date'], text), {
    name: 'Mine',
    order: { id: 7, date: SAMPLES.date },
  })
  assert.deepEqual(data, { name: 'Mine', order: { id: 7 } })
  assert.deepEqual(withSamples(data, [], text), data)
})

test('replaces a string where an object is needed', () => {
  assert.deepEqual(withSamples({ user: 'Ana' }, ['/data/user/name'], '{{ user.name }}'), {
    user: { name: SAMPLES.name },
  })
})

test('limits the depth of recursive lists', () => {
  const text = '{% for a in a %}{% for b in a %}{{ b.c }}{% endfor %}{% endfor %}'
  const { a } = withSamples({}, ['/data/a'], text)
  assert.ok(Array.isArray(a) && JSON.stringify(a).length < 10_000)
})

test('handles special characters and prototype names', () => {
  const odd = fc.string({
    unit: fc.constantFrom('{', '}', '%', '-', ' ', '.', '(', '[', '*', 'a', 'in ', 'for ', 'if '),
  })
  fc.assert(
    fc.property(odd, (text) => assert.ok(typeof guessData(text) === 'object')),
    { numRuns: 500 },
  )
  withSamples({}, ['/data/__proto__/polluted', '/data/constructor/polluted'], '{{ __proto__.polluted }}')
  assert.equal('polluted' in {}, false)
})

test('accepts a JSON object or nothing, and reports anything else', () => {
  assert.deepEqual(parseData(' '), { data: {} })
  assert.deepEqual(parseData('{"a": [1]}'), { data: { a: [1] } })
  for (const text of ['[]', 'null', '"a"', '7'])
    assert.deepEqual(parseData(text), { problem: TEXTS.templates.dataObject })
  const { data, problem } = parseData('{"a": }')
  assert.equal(data, undefined)
  assert.ok(problem?.startsWith(TEXTS.templates.dataBad) && problem.length > TEXTS.templates.dataBad.length + 1)
})
