import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openHtmlInspector } from '../../engines/html/inspector.ts'
import { inProcessRenderer } from '../../engines/liquid/renderer.fixture.ts'
import { millis } from '../../lib/time.ts'
import { type Call, openFixture } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const open = () => openFixture(world, { renderer: inProcessRenderer() })
const URL = '/v1/templates'
const HI = { name: 'hi', channel: 'sms', text: 'Hi {{ name }}' }

const pathsOf = (answer: Awaited<ReturnType<Call>>): string[] =>
  answer.json().details.map(({ path }: { path: string }) => path)

function toSummary({ text, subject: _subject, html: _html, ...template }: Readonly<Record<string, unknown>>) {
  return { ...template, excerpt: text, size: JSON.stringify({ text }).length }
}

test('saves versions of a template, shows them by locale, and deletes them', async () => {
  await using api = await open()
  const call = await api.caller()
  const first = await call('POST', URL, HI)
  assert.equal(first.statusCode, 201)
  const shown = { ...HI, locale: 'en', version: 1, subject: null, html: null, created_at: '2030-01-31T12:00:00.000Z' }
  assert.deepEqual(first.json(), shown)
  const second = await call('POST', URL, { ...HI, text: 'Hello {{ name }}' })
  assert.deepEqual(second.json(), { ...shown, version: 2, text: 'Hello {{ name }}' })
  const portuguese = await call('POST', URL, { ...HI, locale: 'pt-br', text: 'Oi {{ name }}' })
  assert.equal(portuguese.json().locale, 'pt-BR')

  const read = async (path: string) => (await call('GET', `${URL}${path}`)).json()
  assert.deepEqual(await read('/hi'), { items: [second.json(), portuguese.json()], next_cursor: null })
  assert.deepEqual(await read('/hi/versions/1'), first.json())
  const [newest, oldest, inPortuguese] = [second, first, portuguese].map((answer) => toSummary(answer.json()))
  assert.deepEqual(await read('/hi/versions'), { items: [newest, oldest], next_cursor: null })
  assert.deepEqual(await read('/hi/versions?locale=pt-BR'), { items: [inPortuguese], next_cursor: null })
  assert.deepEqual(await read(''), { items: [newest, inPortuguese], next_cursor: null })

  assert.equal((await call('DELETE', `${URL}/hi?locale=fr`)).statusCode, 404)
  assert.equal((await call('DELETE', `${URL}/hi?locale=pt-br`)).statusCode, 204)
  assert.equal((await call('GET', `${URL}/hi/versions?locale=pt-BR`)).statusCode, 404)
  assert.equal((await call('DELETE', `${URL}/hi`)).statusCode, 204)
  for (const path of ['hi', 'hi/versions']) assert.equal((await call('GET', `${URL}/${path}`)).statusCode, 404)
  assert.equal((await call('DELETE', `${URL}/hi`)).statusCode, 404)
})

test('an update creates the next version in one locale', async () => {
  await using api = await open()
  const call = await api.caller()
  const mail = { name: 'mail', channel: 'email', locale: 'pt', text: 'Oi', subject: 'Oi', html: '<p>Oi</p>' }
  await call('POST', URL, mail)
  const changed = await call('PATCH', `${URL}/mail`, { locale: 'pt', text: 'Olá', html: '<p>Olá</p>' })
  assert.equal(changed.statusCode, 200)
  const { created_at: _, ...shown } = changed.json()
  assert.deepEqual(shown, { ...mail, version: 2, text: 'Olá', html: '<p>Olá</p>' })
  assert.equal((await call('PATCH', `${URL}/mail`, { text: 'Hi' })).statusCode, 404)
  assert.deepEqual(pathsOf(await call('PATCH', `${URL}/mail`, { locale: 'pt', text: '{{' })), ['/text'])
  await call('POST', URL, HI)
  assert.deepEqual(pathsOf(await call('PATCH', `${URL}/hi`, { html: '<p>' })), ['/html'])
})

test('refuses an email template without subject or html, on create and update', async () => {
  await using api = await open()
  const call = await api.caller()
  const bare = { name: 'mail', channel: 'email', text: 'Hi' }
  const mail = { ...bare, subject: 'Hi {{ name }}', html: '<p>Hi</p>' }
  assert.deepEqual(pathsOf(await call('POST', URL, bare)), ['/subject', '/html'])
  assert.deepEqual(pathsOf(await call('POST', URL, { ...mail, html: '\n' })), ['/html'])
  assert.equal((await call('POST', URL, mail)).statusCode, 201)
  assert.deepEqual(pathsOf(await call('PATCH', `${URL}/mail`, { subject: null })), ['/subject'])
  assert.deepEqual(pathsOf(await call('PATCH', `${URL}/mail`, { subject: ' ', html: null })), ['/subject', '/html'])
})

test('an otp-email template needs html but no subject', async () => {
  await using api = await open()
  const call = await api.caller()
  const mail = { name: 'otp-email', channel: 'email', text: '{{ code }}', html: '<p>{{ code }}</p>' }
  assert.equal((await call('POST', URL, { ...mail, subject: 'Your code' })).statusCode, 201)
  assert.equal((await call('PATCH', `${URL}/otp-email`, { subject: null })).json().subject, null)
  assert.equal((await call('POST', URL, mail)).statusCode, 201)
  assert.deepEqual(pathsOf(await call('PATCH', `${URL}/otp-email`, { html: null })), ['/html'])
})

test('lists templates page by page', async () => {
  await using api = await open()
  const call = await api.caller()
  for (const name of ['c', 'a', 'b']) await call('POST', URL, { ...HI, name })
  const first = (await call('GET', `${URL}?limit=2`)).json()
  const second = (await call('GET', `${URL}?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`)).json()
  const names = [...first.items, ...second.items].map(({ name }) => name)
  assert.deepEqual(names, ['a', 'b', 'c'])
  assert.equal(second.next_cursor, null)
})

test('refuses a template with Liquid errors, naming part, line and column', async () => {
  await using api = await open()
  const call = await api.caller()
  const mail = { name: 'mail', channel: 'email', text: 'ok\n{{ a | nope }}', subject: '{% if a %}', html: 'fine' }
  const answer = await call('POST', URL, mail)
  assert.equal(answer.statusCode, 400)
  assert.deepEqual(answer.json().details, [
    { path: '/text', message: 'has an error at line 2, column 1: undefined filter: nope' },
    { path: '/subject', message: 'has an error at line 1, column 1: tag {% if a %} not closed' },
  ])
  const tangled = '{% if a %}'.repeat(3000) + '{% endif %}'.repeat(3000)
  assert.deepEqual(pathsOf(await call('POST', URL, { ...HI, text: tangled })), ['/text'])
  assert.equal((await call('GET', `${URL}/mail`)).statusCode, 404)
})

test('refuses html with scripts, on create and update, naming the line', async () => {
  await using inspector = openHtmlInspector()
  await using api = await openFixture(world, { renderer: inProcessRenderer(), inspector })
  const call = await api.caller()
  const mail = { name: 'mail', channel: 'email', text: 'Hi', subject: 'Hi', html: '<p>Hi {{ name }}</p>' }
  const html = '<p>Hi</p>\n<script>1</script>\n<a href="javascript:{{ x }}" onclick="y">'
  const answer = await call('POST', URL, { ...mail, html })
  assert.equal(answer.statusCode, 400)
  assert.deepEqual(answer.json().details, [
    { path: '/html', message: 'must not contain a script element (line 2)' },
    { path: '/html', message: 'must not contain a javascript: URL in href (line 3)' },
    { path: '/html', message: 'must not contain an event handler (onclick) (line 3)' },
  ])
  assert.equal((await call('POST', URL, mail)).statusCode, 201)
  assert.deepEqual(pathsOf(await call('PATCH', `${URL}/mail`, { html })), ['/html', '/html', '/html'])
  assert.equal((await call('PATCH', `${URL}/mail`, { subject: 'Hello' })).statusCode, 200)
})

test('inspects the html around Liquid tags, not the tags', async () => {
  await using inspector = openHtmlInspector()
  await using api = await openFixture(world, { renderer: inProcessRenderer(), inspector })
  const call = await api.caller()
  const save = (html: string) => call('POST', URL, { name: 'mail', channel: 'email', text: 'Hi', subject: 'Hi', html })
  const conditional =
    '<div {% if onsale %}class="sale"{% endif %}>{% if a <b %}<a href="{{ url }}">x</a>{% endif %}</div>'
  assert.equal((await save(conditional)).statusCode, 201)
  const flawed = await save('{% if a\n%}<p>\n<img onerror=x>{% endif %}')
  assert.deepEqual(flawed.json().details, [
    { path: '/html', message: 'must not contain an event handler (onerror) (line 3)' },
  ])
  const faulty = await save('{% if a %}<script>')
  assert.match(faulty.json().details[0].message, /^has an error/)
  assert.equal(faulty.json().details.length, 1)
})

test('all locales of a template have one channel', async () => {
  await using api = await open()
  const call = await api.caller()
  await call('POST', URL, HI)
  const answer = await call('POST', URL, { ...HI, channel: 'email', locale: 'pt', subject: 'Oi', html: '<p>Oi' })
  assert.equal(answer.statusCode, 409)
})

for (const [name, payload, paths] of [
  ['nothing', {}, ['/channel', '/name', '/text']],
  ['a name with a slash', { ...HI, name: 'a/b' }, ['/name']],
  ['a name that is too long', { ...HI, name: 'a'.repeat(65) }, ['/name']],
  ['a name of ours', { ...HI, name: 'preview' }, ['/name']],
  ['an empty text', { ...HI, text: '' }, ['/text']],
  ['a text that is too long', { ...HI, text: 'x'.repeat(65_537) }, ['/text']],
  ['html that is too long', { ...HI, channel: 'email', html: 'x'.repeat(524_289) }, ['/html']],
  ['an invalid locale', { ...HI, locale: 'english!' }, ['/locale']],
  ['another channel', { ...HI, channel: 'fax' }, ['/channel']],
  ['html in an SMS', { ...HI, html: '<p>', subject: 'Hi' }, ['/html', '/subject']],
  ['an unknown field', { ...HI, body: 'x' }, ['/body']],
] as const) {
  test(`${name} is 400 at ${paths}`, async () => {
    await using api = await open()
    const answer = await (await api.caller())('POST', URL, payload)
    assert.equal(answer.statusCode, 400)
    assert.deepEqual(pathsOf(answer).toSorted(), paths)
  })
}

test('previews a saved template or a draft without sending', async () => {
  await using api = await open()
  const call = await api.caller()
  await call('POST', URL, HI)
  await call('POST', URL, { ...HI, locale: 'pt', text: ' Olá, {{ name }} ™ ' })
  const preview = (payload: object) => call('POST', `${URL}/preview`, payload)
  const data = { name: 'Ana' }
  const english = { text: 'Hi Ana', segments: 1, encoding: 'gsm7', locale: 'en', version: 1 }
  assert.deepEqual((await preview({ name: 'hi', data })).json(), english)
  const portuguese = { text: 'Olá, Ana ™', segments: 1, encoding: 'ucs2', locale: 'pt', version: 1 }
  assert.deepEqual((await preview({ name: 'hi', locale: 'pt-BR', data })).json(), portuguese)
  const draft = { text: '{{ name | upcase }}', subject: 'For {{ name }}', html: '<b>{{ name }}</b>' }
  const drafted = await preview({ ...draft, data: { name: '<Ana>' } })
  const filled = { text: '<ANA>', subject: 'For <Ana>', html: '<b>&lt;Ana&gt;</b>', segments: 1, encoding: 'gsm7' }
  assert.deepEqual(drafted.json(), filled)
  assert.equal((await preview({ text: 'x'.repeat(3000) })).json().segments, 20)
  assert.equal(await api.deps.log.tip(), 0)
})

test('names the invalid field of a preview', async () => {
  await using api = await open()
  const call = await api.caller()
  await call('POST', URL, { ...HI, text: '{{ a }} {{ b.c }}' })
  await call('POST', URL, { ...HI, name: 'long', text: '{% for i in (1..99999999) %}{% endfor %}' })
  const deep = JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`)
  for (const [payload, paths] of [
    [{}, ['/text']],
    [{ name: 'nothing' }, ['/name']],
    [{ name: 'hi', locale: 'x!' }, ['/locale']],
    [{ name: 'hi', text: 'x' }, ['/text']],
    [{ name: 'hi', data: {} }, ['/data/a', '/data/b']],
    [{ name: 'long', data: {} }, ['/name']],
    [{ text: '{{ a }}', data: deep }, ['/data']],
    [{ text: 'ok', subject: '{{ s }}' }, ['/data/s']],
    [{ text: '{{ a' }, ['/text']],
    [{ text: '{% for i in (1..99999999) %}{% endfor %}' }, ['/text']],
    [{ text: 'ok', data: [] }, ['/data']],
    [{ text: 'ok', datum: {} }, ['/datum']],
  ] as const) {
    const answer = await call('POST', `${URL}/preview`, payload)
    assert.equal(answer.statusCode, 400, answer.body)
    assert.deepEqual(pathsOf(answer), paths)
  }
})

test('hides templates of other tenants', async () => {
  await using api = await open()
  await (await api.caller())('POST', URL, HI)
  const stranger = await api.caller({ tenant_id: 'other', scope: 'admin' })
  assert.deepEqual((await stranger('GET', URL)).json().items, [])
  assert.equal((await stranger('GET', `${URL}/hi`)).statusCode, 404)
  assert.equal((await stranger('PATCH', `${URL}/hi`, { text: 'x' })).statusCode, 404)
  assert.equal((await stranger('DELETE', `${URL}/hi`)).statusCode, 404)
  assert.equal((await stranger('POST', `${URL}/preview`, { name: 'hi', data: {} })).statusCode, 400)
})

test('needs messages:write to change', async () => {
  await using api = await open()
  await (await api.caller())('POST', URL, HI)
  const reader = await api.caller({ scope: 'messages:read' })
  assert.equal((await reader('GET', `${URL}/hi`)).statusCode, 200)
  assert.equal((await reader('POST', `${URL}/preview`, { text: 'x' })).statusCode, 200)
  assert.equal((await reader('POST', URL, HI)).statusCode, 403)
  assert.equal((await reader('PATCH', `${URL}/hi`, { text: 'x' })).statusCode, 403)
  assert.equal((await reader('DELETE', `${URL}/hi`)).statusCode, 403)
})

test('previews are limited per tenant, and admitted again after a moment', async () => {
  await using api = await open()
  const [call, other] = [await api.caller(), await api.caller({ tenant_id: 'umbrella' })]
  const preview = (by: Call) => by('POST', `${URL}/preview`, { text: 'x' })
  for (let nth = 0; nth < 30; nth += 1) assert.equal((await preview(call)).statusCode, 200)
  const refused = await preview(call)
  assert.deepEqual([refused.statusCode, refused.json().error_code], [429, 'RATE_LIMITED'])
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal((await preview(other)).statusCode, 200)
  api.pass(millis(100))
  assert.equal((await preview(call)).statusCode, 200)
  assert.equal((await preview(call)).statusCode, 429)
})
