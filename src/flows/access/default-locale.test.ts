import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TENANT, UNDESCRIBED } from '../gateway.fixture.ts'
import { defaultLocaleOf, localesFor } from './default-locale.ts'

const installation = { tenants: UNDESCRIBED, defaultLocale: 'en' }
const brazilian = {
  tenants: { of: () => ({ id: TENANT, state: 'active', defaultLocale: 'pt-BR' }) as const },
  defaultLocale: 'en',
}

test('the default locale is that of the tenant, or else of the installation', () => {
  assert.equal(defaultLocaleOf(installation, TENANT), 'en')
  assert.equal(defaultLocaleOf(brazilian, TENANT), 'pt-BR')
})

test('templates are looked for in the wanted locale, then in that of the tenant, then of the installation', () => {
  assert.deepEqual(localesFor(installation, TENANT, undefined), ['en'])
  assert.deepEqual(localesFor(brazilian, TENANT, undefined), ['pt-BR', 'pt', 'en'])
  assert.deepEqual(localesFor(brazilian, TENANT, 'fr-CA'), ['fr-CA', 'fr', 'pt-BR', 'en'])
  assert.deepEqual(localesFor(brazilian, TENANT, 'en-GB'), ['en-GB', 'en', 'pt-BR'])
})
