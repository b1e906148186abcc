import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { choose, describeConsole } from './console.fixture.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.auditLog

const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true })
const rows = (page: Page): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name: T.details }) })

/** What clicking the button saves. */
async function saved(page: Page, name: string): Promise<readonly [name: string, text: string]> {
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, name).click()])
  return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')]
}

describeConsole('the audit log', (site) => {
  before(async () => {
    const { call } = site.gateway
    const limit = { limit: 5, window_seconds: 60, algorithm: 'sliding' }
    const made = [
      await call('PUT', '/v1/limits/account/shop', limit),
      await call('PUT', '/v1/limits/account/shop', { ...limit, limit: 7 }),
      await call('POST', '/v1/tenants', { id: 'acme' }),
    ]
    for (const { status, text } of made) assert.ok(status < 300, text)
  })

  test('shows what changed, newest first, and everything else on request', () =>
    site.visit({ path: '/audit-log' }, async (page) => {
      await button(page, T.detailsOf('tenant.created', 'acme')).waitFor()
      const texts = await rows(page).allInnerTexts()
      assert.match(texts[0] ?? '', /console-link[\s\S]*tenant\.created\s+acme/)
      await button(page, T.detailsOf('tenant.created', 'acme')).press('Enter')
      await page.getByText(T.facts.actorTenant, { exact: true }).waitFor()
      await button(page, T.detailsOf('tenant.created', 'acme')).press('Enter')
      await button(page, T.detailsOf('limit.set', 'account/shop')).first().press('Enter')
      const limit = page.getByRole('row', { name: /^limit 5 7$/ })
      await limit.locator('del').waitFor()
      assert.deepEqual([await limit.locator('del').innerText(), await limit.locator('ins').innerText()], ['5', '7'])
      assert.equal(await page.getByRole('row', { name: /^window_seconds/ }).count(), 0)
      await page.getByRole('button', { name: /unchanged/ }).click()
      await page.getByRole('row', { name: 'window_seconds 60 60', exact: true }).waitFor()
      await button(page, T.detailsOf('limit.set', 'account/shop')).first().press('Enter')
      await limit.waitFor({ state: 'detached' })
    }))

  test('filters by action, target and time, and keeps the filters in the address', () =>
    site.visit({ path: '/audit-log' }, async (page) => {
      await choose(page, T.filters.action, 'tenant.created')
      await button(page, T.detailsOf('limit.set', 'account/shop')).first().waitFor({ state: 'detached' })
      assert.equal(await rows(page).count(), 1)
      await page.getByRole('group', { name: T.filters.to }).getByRole('spinbutton').first().click()
      await page.keyboard.type('010120201200A')
      await page.getByText(T.noneFound).waitFor()
      assert.equal(new URL(page.url()).searchParams.get('action'), 'tenant.created')
      await button(page, T.filters.clear).click()
      await button(page, T.detailsOf('limit.set', 'account/shop')).first().click()
      await button(page, T.onlyTarget('account/shop')).click()
      await button(page, T.detailsOf('tenant.created', 'acme')).waitFor({ state: 'detached' })
      assert.equal(await page.getByLabel(T.filters.target, { exact: true }).inputValue(), 'account/shop')
    }))

  test('saves what matches the filters as CSV and NDJSON, and records that', () =>
    site.visit({ path: '/audit-log?action=tenant.created' }, async (page) => {
      await button(page, T.detailsOf('tenant.created', 'acme')).waitFor()
      const [csvName, csv] = await saved(page, T.exportAs.csv)
      assert.equal(csvName, 'audit-log.csv')
      assert.match(csv, /^id,at,tenant_id,/)
      assert.equal(csv.trim().split('\n').length, 2)
      const [name, lines] = await saved(page, T.exportAs.ndjson)
      assert.equal(name, 'audit-log.ndjson')
      assert.deepEqual(
        lines
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { action: string }).action),
        ['tenant.created'],
      )
      await button(page, T.filters.clear).click()
      await button(page, T.detailsOf('audit_log.exported', 'all')).nth(1).waitFor()
    }))

  test('shows more on request', async () => {
    for (let made = 0; made < 51; made += 1)
      await site.gateway.call('PUT', '/v1/limits/account/busy', { limit: 1 + made, window_seconds: 60 })
    await site.visit({ path: '/audit-log?action=limit.set' }, async (page) => {
      await rows(page).first().waitFor()
      assert.equal(await rows(page).count(), 50)
      await button(page, TEXTS.common.more).click()
      await rows(page).nth(52).waitFor()
    })
  })

  test('shows an admin its tenant only, and others nothing', async () => {
    await site.visit({ path: '/audit-log', token: await site.tokenFor(['admin']) }, async (page) => {
      await rows(page).first().waitFor()
      assert.equal(await page.getByLabel(T.filters.tenant_id, { exact: true }).count(), 0)
      assert.equal(await button(page, T.detailsOf('tenant.created', 'acme')).count(), 0)
    })
    await site.visit({ path: '/audit-log', token: await site.tokenFor(['messages:read']) }, async (page) => {
      await page.getByText(T.notAllowed).waitFor()
      assert.equal(await page.getByRole('link', { name: TEXTS.pages.auditLog }).count(), 0)
    })
  })
})
