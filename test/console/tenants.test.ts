import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { describeConsole } from './console.fixture.ts'
import { TEXTS } from './texts.ts'

const [T, C] = [TEXTS.tenants, TEXTS.common]

const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true })
const dialog = (page: Page): Locator => page.getByRole('dialog')
const row = (page: Page, name: string): Locator => page.getByRole('row', { name })

describeConsole(
  'the page of tenants',
  (site) => {
    const tenant = async (id: string) => (await site.gateway.call<object>('GET', `/v1/tenants/${id}`)).body

    test('creates a tenant, changes only what was edited, suspends and activates it', () =>
      site.visit({ path: '/tenants' }, async (page) => {
        await button(page, T.add).click()
        await dialog(page).getByLabel(T.fields.id).fill('acme')
        await dialog(page).getByLabel(T.fields.name).fill('Acme')
        await dialog(page).getByLabel('simulator').check()
        await dialog(page).getByLabel(T.onlySenders).check()
        await dialog(page).getByRole('textbox', { name: T.fields.senders }).fill('Acme\n\n*.acme.example')
        await dialog(page).getByLabel(T.quotaNames.routes).fill('10')
        await button(dialog(page), T.addAction).click()
        await page.getByText(T.added('acme')).waitFor()
        await row(page, 'acme').getByText('Acme, *.acme.example').waitFor()

        await button(page, T.changeOne('acme')).click()
        await site.gateway.call('PATCH', '/v1/tenants/acme', { name: 'Acme Ltd' })
        await dialog(page).getByLabel(T.fields.locale).fill('pt-BR')
        await dialog(page).getByLabel(T.quotaNames.routes).fill('')
        await button(dialog(page), C.save).click()
        await page.getByText(T.changed('acme')).waitFor()
        const { created_at: _, updated_at: __, ...changed } = (await tenant('acme')) as Record<string, unknown>
        assert.deepEqual(changed, {
          id: 'acme',
          source: 'api',
          state: 'active',
          name: 'Acme Ltd',
          providers: ['simulator'],
          senders: ['Acme', '*.acme.example'],
          quotas: null,
          retention_days: null,
          default_locale: 'pt-BR',
        })

        await button(page, T.switchOne.active('acme')).click()
        await button(dialog(page), T.switch.active).click()
        await row(page, 'acme').getByText(T.states.suspended).waitFor()
        await button(page, T.switchOne.suspended('acme')).click()
        await button(dialog(page), T.switch.suspended).click()
        await row(page, 'acme').getByText(T.states.active).waitFor()
      }))

    test('says which sender is wrong', () =>
      site.visit({ path: '/tenants', expected: /status of 400/ }, async (page) => {
        await button(page, T.add).click()
        await dialog(page).getByLabel(T.fields.id).fill('globex')
        await dialog(page).getByLabel(T.onlySenders).check()
        await dialog(page).getByRole('textbox', { name: T.fields.senders }).fill('Globex\nno@sender@at.all')
        await button(dialog(page), T.addAction).click()
        await dialog(page)
          .getByText(/^no@sender@at\.all must be/)
          .waitFor()
        await dialog(page).getByLabel(T.onlySenders).uncheck()
        await button(dialog(page), T.addAction).click()
        await row(page, 'globex').getByText(C.any).waitFor()
      }))

    test('shows tenants of the file, which cannot be changed here, and the usage of quotas', () =>
      site.visit({ path: '/tenants' }, async (page) => {
        await row(page, 'fixed').getByText(T.ofFile).waitFor()
        assert.equal(await button(page, T.changeOne('fixed')).count(), 0)
        assert.equal(await button(page, T.switchOne.active('fixed')).count(), 0)
        await button(page, T.usageOf('fixed')).click()
        await dialog(page).getByText(T.used('0', '3')).waitFor()
      }))

    test('is only for operators', async () => {
      await site.visit({ path: '/tenants', token: await site.tokenFor(['admin']) }, async (page) => {
        await page.getByText(T.notAllowed).waitFor()
        assert.equal(await page.getByRole('link', { name: TEXTS.pages.tenants }).count(), 0)
      })
    })
  },
  { config: { tenants: { fixed: { quotas: { routes: 3 } } } } },
)
