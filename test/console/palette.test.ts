import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { magic, send, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { axeFindings } from './axe.ts'
import { describeConsole, PHONE, untilShown } from './console.fixture.ts'
import { createScene, SCENE_CONFIG } from './scene.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.palette
const field = (page: Page): Locator => page.getByRole('combobox', { name: T.hint })
const option = (page: Page, name: string): Locator => page.getByRole('dialog').getByRole('option', { name })

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await field(page).waitFor()
}

const untilPath = (page: Page, path: string): Promise<void> => page.waitForURL(`**/console${path}`)

describeConsole(
  'command palette',
  (site) => {
    let order = ''
    before(async () => {
      await createScene(site.gateway)
      order = await send(site.gateway, { to: magic('0100'), metadata: { parcel: 'Q-7781' } })
      await untilStatus(site.gateway, order, 'delivered')
      await untilIndexed(site.gateway)
    })

    test('opens from a page by key, finds a page, and Enter opens it', () =>
      site.visit({ path: '/routes' }, async (page) => {
        await untilShown(page)
        await openPalette(page)
        await page.keyboard.type('supp')
        await option(page, TEXTS.pages.suppressions).waitFor()
        await page.keyboard.press('Enter')
        await untilPath(page, '/suppressions')
        await field(page).waitFor({ state: 'detached' })
      }))

    test('opens while typing in a field, and Escape returns there', () =>
      site.visit({}, async (page) => {
        await untilShown(page)
        const search = page.getByRole('searchbox', { name: TEXTS.common.search })
        await search.focus()
        await openPalette(page)
        await page.locator('[role=combobox]:focus').waitFor()
        await page.keyboard.press('Escape')
        await field(page).waitFor({ state: 'detached' })
        assert.ok(await search.evaluate((element) => element === element.ownerDocument.activeElement))
      }))

    test('opens above a popover', () =>
      site.visit({}, async (page) => {
        await untilShown(page)
        await page.getByRole('button', { name: TEXTS.common.filters.action, exact: true }).click()
        await page.getByRole('option', { name: TEXTS.messages.names.tag, exact: true }).click()
        await page.locator('input:focus').waitFor()
        await openPalette(page)
        await page.keyboard.type('dead')
        await option(page, TEXTS.pages.deadLetters).click()
        await untilPath(page, '/dead-letters')
      }))

    test('opens by its button, runs an action by pointer, and finds actions by other words', () =>
      site.visit({}, async (page) => {
        await untilShown(page)
        await page.getByRole('button', { name: /^Search/ }).click()
        await option(page, T.actions.dark).click()
        await until('the dark theme', () => page.evaluate<boolean>(`document.documentElement.dataset.theme === 'dark'`))
        await openPalette(page)
        await page.keyboard.type('hotkeys')
        await option(page, T.actions.keys).waitFor()
        await page.keyboard.press('Enter')
        await page.getByRole('dialog', { name: TEXTS.app.keysTitle }).waitFor()
      }))

    test('finds a message, which the arrow keys reach', () =>
      site.visit({ path: '/providers' }, async (page) => {
        await untilShown(page)
        await openPalette(page)
        await page.keyboard.type('Q-7781')
        const message = page.getByRole('option').filter({ hasText: order.slice(0, 8) })
        await message.waitFor()
        await page.keyboard.press('ArrowDown')
        await option(page, T.allMessages('Q-7781')).and(page.locator('[data-focused]')).waitFor()
        await page.keyboard.press('ArrowUp')
        await message.and(page.locator('[data-focused]')).waitFor()
        const id = await message.getAttribute('id')
        await field(page)
          .and(page.locator(`[aria-activedescendant="${id}"]`))
          .waitFor()
        await page.keyboard.press('Enter')
        await untilPath(page, `/messages/${order}`)
        await page.goBack()
        await untilPath(page, '/providers')
      }))

    test('finds what is configured, and Enter after pasting opens the first result', () =>
      site.visit({}, async (page) => {
        await untilShown(page)
        await openPalette(page)
        await field(page).fill('spare')
        await page.getByRole('option', { name: 'spare', exact: true }).waitFor()
        await field(page).fill('shipped')
        await page.getByRole('group', { name: T.groups.templates }).getByRole('option', { name: 'shipped' }).click()
        await untilPath(page, '/templates?name=shipped')
        await openPalette(page)
        await field(page).fill('Limits')
        await page.keyboard.press('Enter')
        await untilPath(page, '/limits')
      }))

    test('remembers searches of this tab, but no phone number', () =>
      site.visit({}, async (page) => {
        await untilShown(page)
        for (const text of ['+1 500 555 0100', 'limits']) {
          await openPalette(page)
          await field(page).fill(text)
          await (text === 'limits' ? option(page, TEXTS.pages.limits) : option(page, T.allMessages(text))).click()
          await field(page).waitFor({ state: 'detached' })
        }
        const stored = await page.evaluate<string>('JSON.stringify({ ...sessionStorage, token: 0, "pombo.token": 0 })')
        assert.ok(stored.includes('limits') && !stored.includes('0100'), stored)
        await openPalette(page)
        await option(page, 'limits').first().click()
        await until('the search', async () => (await field(page).inputValue()) === 'limits')
      }))

    test('offers only what the session may do', async () => {
      const token = await site.tokenFor(['messages:read'])
      await site.visit({ token }, async (page) => {
        await untilShown(page)
        await openPalette(page)
        await option(page, T.actions.signOut).waitFor()
        for (const name of [T.actions.send, T.actions.apiKey, T.actions.endpoint, TEXTS.pages.users])
          assert.equal(await option(page, name).count(), 0, name)
      })
    })

    for (const [name, options] of [
      ['light', {}],
      ['dark', { colorScheme: 'dark' }],
      ['a phone', { viewport: PHONE }],
    ] as const)
      test(`is accessible in ${name}`, () =>
        site.visit({ bypassCSP: true, ...options }, async (page) => {
          await untilShown(page)
          await openPalette(page)
          await option(page, T.actions.signOut).waitFor()
          const found = [...(await axeFindings(page))]
          await field(page).fill('order')
          await option(page, T.allMessages('order')).waitFor()
          found.push(...(await axeFindings(page)))
          const { x = 0, width = 0 } = (await page.getByRole('dialog').boundingBox()) ?? {}
          assert.ok(x >= 0 && x + width <= (page.viewportSize()?.width ?? 0), `${x} ${width}`)
          assert.deepEqual(found, [])
        }))
  },
  SCENE_CONFIG,
)
