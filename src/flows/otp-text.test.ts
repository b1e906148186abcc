import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../domain/ids.ts'
import type { OtpWords } from '../domain/otp-texts.ts'
import { openRenderer } from '../engines/liquid/renderer.ts'
import { memoryTemplates } from '../engines/memory/templates.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { START, TENANT } from './gateway.fixture.ts'
import { otpText } from './otp-text.ts'

const WORDS: OtpWords = { code: '402718', minutes: 5, appName: 'Acme' }
const BUILT_IN = 'the built-in text'

function openWorld() {
  const deps = {
    templates: memoryTemplates(),
    renderer: openRenderer(),
    defaultLocale: 'en',
    builtIn: () => BUILT_IN,
  }
  return {
    deps,
    save: (text: string, locale = 'en') =>
      deps.templates.add({ tenantId: TENANT, name: 'otp', locale, channel: 'sms', texts: { text }, createdAt: START }),
    text: (words: Partial<OtpWords> = {}, tenantId = TENANT) => otpText(deps, tenantId, { ...WORDS, ...words }),
  }
}

test("a tenant's own template is used, in the locale that suits best", async () => {
  const world = openWorld()
  assert.equal(await world.text(), BUILT_IN)
  await world.save('{{ app_name }}: {{ code }}, {{ minutes }} min')
  await world.save('{{ code }} é o seu código', 'pt')
  assert.equal(await world.text(), 'Acme: 402718, 5 min')
  assert.equal(await world.text({ locale: 'pt-br' }), '402718 é o seu código')
  assert.equal(await world.text({ locale: 'no such!' }), 'Acme: 402718, 5 min')
  assert.equal(await world.text({}, 'other' as TenantId), BUILT_IN)
})

test('the name of the app may be missing', async () => {
  const world = openWorld()
  await world.save('{% if app_name %}{{ app_name }}: {% endif %}{{ code }}{{ app_name }}')
  const { appName: _, ...nameless } = WORDS
  assert.equal(await otpText(world.deps, TENANT, nameless), '402718')
})

test('a template that does not serve gives way to the built-in text', async () => {
  for (const text of ['no code in it', '{{ name }} {{ code }}', '{% for i in (1..99999999) %}{% endfor %}{{ code }}']) {
    const world = openWorld()
    await world.save(text)
    assert.equal(await world.text(), BUILT_IN, text)
  }
})

test('while the templates are away the built-in text serves', async () => {
  const world = openWorld()
  const away = { ...world.deps.templates, find: () => Promise.reject(new Unavailable('away')) }
  assert.equal(await otpText({ ...world.deps, templates: away }, TENANT, WORDS), BUILT_IN)
  const broken = { ...world.deps.templates, find: () => Promise.reject(new TypeError('a bug')) }
  await assert.rejects(otpText({ ...world.deps, templates: broken }, TENANT, WORDS), TypeError)
})
