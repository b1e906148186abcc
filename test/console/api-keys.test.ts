import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { callerOf } from '../support/gateway.ts'
import { choose, describeConsole } from './console.fixture.ts'
import { TEXTS } from './texts.ts'

const [T, C] = [TEXTS.apiKeys, TEXTS.common]
const KEY = /^pk_(live|test)_[0-9a-z]{12}_[0-9A-Za-z]{40}$/

const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true })
const dialog = (page: Page): Locator => page.getByRole('dialog')
const nameOfOverlap = (seconds: number): string => T.overlaps.find(([one]) => one === seconds)?.[1] ?? 'none'
const row = (page: Page, name: string): Locator => page.getByRole('row', { name })

/** The key that the dialog shows. */
async function shownKey(page: Page): Promise<string> {
  await dialog(page).getByText(T.onlyOnce).waitFor()
  const key = await dialog(page).locator('.issued-key').innerText()
  assert.match(key, KEY)
  return key
}

describeConsole('the page of API keys', (site) => {
  const statusWith = async (key: string): Promise<number> =>
    (await callerOf(site.gateway.url, key)('GET', '/v1/messages')).status

  test('creates a key, shows it once, rotates it with an overlap, and revokes it', () =>
    site.visit({ path: '/api-keys' }, async (page) => {
      await page.getByText(T.none).waitFor()
      await button(page, T.create).click()
      await dialog(page).getByLabel(T.fields.name).fill('Order service')
      await dialog(page).getByLabel('messages:read').check()
      await choose(dialog(page), T.fields.expiry, T.expiries['90'])
      await button(dialog(page), T.createAction).click()
      const first = await shownKey(page)
      await dialog(page)
        .getByText(/^AC[0-9a-f]{32}$/)
        .waitFor()
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await dialog(page).getByRole('button', { name: C.copy }).click()
      await page.getByText(C.copied).waitFor()
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), first)
      await button(dialog(page), C.close).click()
      await row(page, 'Order service').getByText(T.inSpan('90 d')).waitFor()
      assert.equal(await page.getByText(first).count(), 0)
      assert.equal(await statusWith(first), 200)

      await button(page, T.rotateOne('Order service')).click()
      await choose(dialog(page), T.overlap, nameOfOverlap(3_600))
      await button(dialog(page), T.rotateAction).click()
      await dialog(page).getByText(T.previousUntil).waitFor()
      const second = await shownKey(page)
      await page.keyboard.press('Escape')
      await row(page, 'Order service').nth(1).waitFor()
      assert.deepEqual([await statusWith(first), await statusWith(second)], [200, 200])

      await button(page, T.revokeOne('Order service')).first().click()
      await button(dialog(page), T.revokeAction).click()
      await row(page, 'Order service').getByText(T.statuses.revoked, { exact: true }).waitFor()
      assert.equal(await statusWith(second), 401)
    }))

  test('a leaked key ends at once when it is rotated without an overlap', async () => {
    const { body } = await site.gateway.call<{ key: string }>('POST', '/v1/api-keys', {
      name: 'Leaked',
      scopes: ['messages:read'],
    })
    await site.visit({ path: '/api-keys' }, async (page) => {
      await button(page, T.rotateOne('Leaked')).click()
      await choose(dialog(page), T.overlap, nameOfOverlap(0))
      await button(dialog(page), T.rotateAction).click()
      await dialog(page).getByText(T.previousEnded).waitFor()
      assert.equal(await statusWith(body.key), 401)
    })
  })

  test('creates a test key for some networks, and says which network is wrong', () =>
    site.visit({ path: '/api-keys', expected: /status of 400/ }, async (page) => {
      await button(page, T.create).click()
      await dialog(page).getByLabel(T.fields.name).fill('CI')
      await choose(dialog(page), T.fields.mode, T.modes.test)
      await button(dialog(page), T.createAction).click()
      await dialog(page).getByText(T.noScope).waitFor()
      assert.equal(await dialog(page).getByLabel('operator').count(), 0)
      await dialog(page).getByLabel('sms:send').check()
      await dialog(page).getByLabel(T.fields.networks).fill('203.0.113.0/24\nnonsense')
      await button(dialog(page), T.createAction).click()
      await dialog(page)
        .getByText(/^nonsense must be an IP address/)
        .waitFor()
      await dialog(page).getByLabel(T.fields.networks).fill('203.0.113.0/24')
      await button(dialog(page), T.createAction).click()
      assert.match(await shownKey(page), /^pk_test_/)
      await button(dialog(page), C.close).click()
      await row(page, 'CI').getByText(T.modes.test, { exact: true }).waitFor()
      await row(page, 'CI').getByText('203.0.113.0/24').waitFor()
    }))

  test('offers an admin only scopes that it has, and others nothing', async () => {
    await site.gateway.call('POST', '/v1/api-keys', { name: 'Root', scopes: ['operator'] })
    await site.visit({ path: '/api-keys', token: await site.tokenFor(['admin']) }, async (page) => {
      await row(page, 'Root').waitFor()
      assert.equal(await button(page, T.rotateOne('Root')).count(), 0)
      await button(page, T.create).click()
      await dialog(page).getByLabel('admin').waitFor()
      assert.equal(await dialog(page).getByLabel('operator').count(), 0)
    })
    await site.visit({ path: '/api-keys', token: await site.tokenFor(['messages:read']) }, async (page) => {
      await page.getByText(T.notAllowed).waitFor()
      assert.equal(await page.getByRole('link', { name: TEXTS.pages.apiKeys }).count(), 0)
    })
  })
})
