import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { describeConsole, PAGES, PHONE, untilShown } from './console.fixture.ts'
import { createScene, SCENE_CONFIG, type Scene } from './scene.ts'
import { TEXTS } from './texts.ts'

/** More tab stops than any page has. */
const MOST_STOPS = 150

type Stop = Readonly<{ name: string; isSeen: boolean }>

/** The focused element, and whether its focus is visible: it or its surroundings must look different without focus. */
const stop = (page: Page): Promise<Stop | undefined> =>
  page.evaluate<Stop | undefined>(`(() => {
    const element = document.activeElement
    if (element === null || element === document.body) return undefined
    const around = [element, element.parentElement, element.closest('label, tr, li'), element.nextElementSibling]
    const look = () => around.filter((one) => one !== null).map((one) => {
      const { outline, boxShadow, borderColor, top } = getComputedStyle(one)
      return [outline, boxShadow, borderColor, top].join()
    }).join()
    const focused = look()
    element.blur()
    const isSeen = look() !== focused
    element.focus({ preventScroll: true, focusVisible: true })
    const name = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 60)
    return { name: element.tagName + ' ' + name, isSeen }
  })()`)

/** All tab stops of the page. */
async function stopsOf(page: Page): Promise<readonly Stop[]> {
  const stops: Stop[] = []
  for (;;) {
    await page.keyboard.press('Tab')
    const next = await stop(page)
    if (next === undefined) return stops
    stops.push(next)
    assert.ok(stops.length < MOST_STOPS, `${page.url()} traps the focus: ${JSON.stringify(stops.slice(-5))}`)
  }
}

const themeOf = (page: Page): Locator => page.getByRole('radiogroup', { name: TEXTS.app.theme })
const holdsFocus = (part: Locator): Promise<boolean> =>
  part.evaluate((element) => element.contains(element.ownerDocument.activeElement))

describeConsole(
  'keyboard use',
  (site) => {
    let scene: Scene
    before(async () => {
      scene = await createScene(site.gateway)
    })

    test('Tab reaches every control of every page, the skip link first, with visible focus', () =>
      site.visit({}, async (page) => {
        const unseen: string[] = []
        for (const path of [...PAGES.map(([one]) => one), `/messages/${scene.mail}`]) {
          await page.goto(`${site.gateway.url}/console${path}`)
          await untilShown(page)
          const stops = await stopsOf(page)
          assert.match(stops[0]?.name ?? '', new RegExp(TEXTS.app.skip))
          unseen.push(...stops.filter(({ isSeen }) => !isSeen).map(({ name }) => `${path} ${name}`))
        }
        assert.deepEqual(unseen, [])
      }))

    test('the skip link works, and the dark theme persists', () =>
      site.visit({}, async (page) => {
        await untilShown(page)
        await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
        assert.equal(await page.evaluate('document.activeElement?.id'), 'content')
        await themeOf(page).getByRole('radio', { name: TEXTS.app.themes.system }).focus()
        for (const _ of ['to light', 'to dark']) await page.keyboard.press('ArrowRight')
        const isDark = (): Promise<boolean> =>
          page.evaluate<boolean>(`getComputedStyle(document.body).colorScheme === 'dark'`)
        assert.ok(await isDark())
        await page.reload()
        await untilShown(page)
        assert.ok(await isDark())
      }))

    test('on a phone the menu opens by key, contains theme and sign-out, and restores the focus', () =>
      site.visit({ viewport: PHONE }, async (page) => {
        await untilShown(page)
        const theme = themeOf(page)
        assert.ok(await theme.isHidden())
        await page.getByRole('button', { name: TEXTS.app.openMenu }).focus()
        await page.keyboard.press('Enter')
        await theme.waitFor()
        for (let presses = 0; !(await holdsFocus(theme)); presses += 1) {
          assert.ok(presses < MOST_STOPS, 'Tab does not reach the theme')
          await page.keyboard.press('Tab')
        }
        await page.keyboard.press('Tab')
        assert.match((await stop(page))?.name ?? '', new RegExp(TEXTS.app.signOut))
        await page.keyboard.press('Escape')
        await theme.waitFor({ state: 'hidden' })
        assert.match((await stop(page))?.name ?? '', new RegExp(TEXTS.app.openMenu))
      }))

    test('a dialog takes, traps and restores the focus', () =>
      site.visit({ path: `/messages/${scene.delivered}` }, async (page) => {
        await page.getByRole('button', { name: TEXTS.message.actions.more, exact: true }).focus()
        await page.keyboard.press('Enter')
        await page.getByRole('menu').waitFor()
        await page.keyboard.press('End')
        await page.keyboard.press('Enter')
        const dialog = page.getByRole('dialog')
        await dialog.waitFor()
        for (let presses = 0; presses < 12; presses += 1) {
          await page.keyboard.press('Tab')
          const where = await page.evaluate<string>(`document.activeElement === document.body ? 'browser'
            : document.activeElement.closest('dialog') === null ? 'outside' : 'inside'`)
          assert.notEqual(where, 'outside')
        }
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        assert.match((await stop(page))?.name ?? '', new RegExp(TEXTS.message.actions.more))
      }))
  },
  SCENE_CONFIG,
)
