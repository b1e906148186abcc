import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryTemplates } from '../../../test/memory/templates.ts'
import { memoryTenants } from '../../../test/memory/tenants.ts'
import type { TemplateTexts } from '../../domain/directory/template.ts'
import type { TenantId } from '../../domain/ids.ts'
import { toBuiltInMail } from '../../domain/otp/mails.ts'
import { type OtpWords, toBuiltInText } from '../../domain/otp/texts.ts'
import { inProcessRenderer } from '../../engines/liquid/renderer.fixture.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { START, TENANT } from '../gateway.fixture.ts'
import { toOtpTemplate } from './otp.fixture.ts'
import { type OtpMailDeps, writeOtpMail, writeOtpText } from './write-otp.ts'

const WORDS: OtpWords = { code: '402718', minutes: 5, appName: 'Acme' }
const BUILT_IN = toBuiltInText(WORDS)
const BUILT_IN_MAIL = toBuiltInMail(WORDS)

function openWorld() {
  const deps = {
    templates: memoryTemplates(),
    renderer: inProcessRenderer(),
    tenants: memoryTenants(),
    defaultLocale: 'en',
    inspector: { inspect: async (html) => (html.includes('<script') ? [{ detail: 'a script', line: 1 }] : []) },
  } satisfies OtpMailDeps
  return {
    deps,
    save: (text: string, locale = 'en') => deps.templates.add(toOtpTemplate('sms', { text }, locale)),
    saveMail: (texts: TemplateTexts, locale = 'en') => deps.templates.add(toOtpTemplate('email', texts, locale)),
    text: (words: Partial<OtpWords> = {}, tenantId = TENANT) => writeOtpText(deps, tenantId, { ...WORDS, ...words }),
    mail: (words: Partial<OtpWords> = {}, tenantId = TENANT) => writeOtpMail(deps, tenantId, { ...WORDS, ...words }),
  }
}

test("uses a tenant's own template in the best matching locale", async () => {
  const world = openWorld()
  assert.equal(await world.text(), BUILT_IN)
  await world.save('{{ app_name }}: {{ code }}, {{ minutes }} min')
  await world.save('{{ code }} é o seu código', 'pt')
  assert.equal(await world.text(), 'Acme: 402718, 5 min')
  assert.equal(await world.text({ locale: 'pt-br' }), '402718 é o seu código')
  assert.equal(await world.text({ locale: 'no such!' }), 'Acme: 402718, 5 min')
  assert.equal(await world.text({}, 'other' as TenantId), BUILT_IN)
})

test('a tenant may have a default locale of its own', async () => {
  const world = openWorld()
  const own = { createdAt: START, updatedAt: START }
  await world.deps.tenants.add({ id: TENANT, state: 'active', defaultLocale: 'pt-BR', own })
  assert.equal(await world.text(), toBuiltInText(WORDS, 'pt'))
  assert.equal((await world.mail()).subject, toBuiltInMail(WORDS, 'pt').subject)
  assert.notEqual(await world.text(), BUILT_IN)
})

test('the app name is optional', async () => {
  const world = openWorld()
  await world.save('{% if app_name %}{{ app_name }}: {% endif %}{{ code }}{{ app_name }}')
  const { appName: _, ...nameless } = WORDS
  assert.equal(await writeOtpText(world.deps, TENANT, nameless), '402718')
})

test('falls back to the built-in text when a template renders no code or fails', async () => {
  for (const text of ['no code in it', '{{ name }} {{ code }}', '{% for i in (1..99999999) %}{% endfor %}{{ code }}']) {
    const world = openWorld()
    await world.save(text)
    assert.equal(await world.text(), BUILT_IN, text)
  }
})

const MAIL: TemplateTexts = {
  text: '{{ code }}!',
  subject: 'For {{ app_name }}',
  html: '<b>{{ code }}</b> {{ app_name }}',
}

test("uses a tenant's own email template in the best matching locale, with escaped values", async () => {
  const world = openWorld()
  assert.deepEqual(await world.mail(), BUILT_IN_MAIL)
  await world.saveMail(MAIL)
  await world.saveMail({ ...MAIL, subject: 'Olá' }, 'pt')
  assert.deepEqual(await world.mail({ appName: 'A & B' }), {
    subject: 'For A & B',
    html: '<b>402718</b> A &amp; B',
    text: '402718!',
  })
  assert.equal((await world.mail({ locale: 'pt-BR' })).subject, 'Olá')
  assert.deepEqual(await world.mail({}, 'other' as TenantId), BUILT_IN_MAIL)
})

test('ignores a template for the other channel', async () => {
  const world = openWorld()
  await world.deps.templates.add({ ...toOtpTemplate('email', MAIL), name: 'otp' })
  assert.deepEqual([await world.text(), await world.mail()], [BUILT_IN, BUILT_IN_MAIL])
  await world.deps.templates.add({ ...toOtpTemplate('sms', MAIL), name: 'otp-email' })
  assert.deepEqual(await world.mail(), BUILT_IN_MAIL)
})

const SUBJECTS = ['', '  ', 'Code {{ code }}', 'two\nlines', '{% if false %}x{% endif %}', 'x'.repeat(151)]
for (const subject of [undefined, ...SUBJECTS]) {
  test(`replaces the subject ${JSON.stringify(subject)} with the built-in one`, async () => {
    const world = openWorld()
    await world.saveMail(omitUndefined({ text: MAIL.text, html: '<b>{{ code }}</b>', subject }))
    const { subject: sent, html } = await world.mail()
    assert.deepEqual([sent, html], ['Your Acme code', '<b>402718</b>'])
  })
}

test('a template with an empty text renders an email without text', async () => {
  const world = openWorld()
  await world.saveMail({ ...MAIL, text: ' ' })
  assert.deepEqual(await world.mail(), { subject: 'For Acme', html: '<b>402718</b> Acme' })
})

const INVALID: readonly [what: string, texts: TemplateTexts][] = [
  ['without html', { text: '{{ code }}' }],
  ['whose html has no code', { ...MAIL, html: '<p>hello</p>' }],
  ['whose text has no code', { ...MAIL, text: 'hello' }],
  ['that lacks what it needs', { ...MAIL, html: '{{ code }}{{ name }}' }],
  ['that is too large', { ...MAIL, html: `{{ code }}${'x'.repeat(513 * 1024)}` }],
  ['with a script', { ...MAIL, html: '{{ code }}<script>x()</script>' }],
  ['that is no text', { ...MAIL, text: '{{ code }}\0' }],
]
for (const [what, texts] of INVALID) {
  test(`replaces an email ${what} with the built-in one`, async () => {
    const world = openWorld()
    await world.saveMail(texts)
    assert.deepEqual(await world.mail(), BUILT_IN_MAIL)
  })
}

test('uses the built-in text and email while templates or the HTML inspector are unavailable', async () => {
  const { deps, saveMail } = openWorld()
  await saveMail(MAIL)
  const unavailable = () => Promise.reject(new Unavailable('unreachable'))
  const withoutTemplates = { ...deps, templates: { ...deps.templates, find: unavailable } }
  assert.equal(await writeOtpText(withoutTemplates, TENANT, WORDS), BUILT_IN)
  assert.deepEqual(await writeOtpMail(withoutTemplates, TENANT, WORDS), BUILT_IN_MAIL)
  assert.deepEqual(await writeOtpMail({ ...deps, inspector: { inspect: unavailable } }, TENANT, WORDS), BUILT_IN_MAIL)
})

test('rethrows errors other than Unavailable', async () => {
  const { deps, saveMail } = openWorld()
  await saveMail(MAIL)
  const broken = () => Promise.reject(new TypeError('a bug'))
  await assert.rejects(
    writeOtpText({ ...deps, templates: { ...deps.templates, find: broken } }, TENANT, WORDS),
    TypeError,
  )
  await assert.rejects(writeOtpMail({ ...deps, inspector: { inspect: broken } }, TENANT, WORDS), TypeError)
})
