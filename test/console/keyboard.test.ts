import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { TEXTS } from '../../console/src/texts.ts'
import { describeConsole, PAGES, PHONE, untilShown } from './console.fixture.ts'
import { CALM, type Scene, setScene } from './scene.ts'

/** More stops than any page has. */
const MOST_STOPS = 150

type Stop = Readonly<{ name: string; isSeen: boolean }>

/** What has the focus, and whether a person sees that: it, or what is right around it, looks otherwise without. */
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

/** Every stop of the Tab key, once around the page. */
async function stopsOf(page: Page): Promise<readonly Stop[]> {
  const stops: Stop[] = []
  for (;;) {
    await page.keyboard.press('Tab')
    const next = await stop(page)
    if (next === undefined) return stops
    stops.push(next)
    assert.ok(stops.length < MOST_STOPS, `${page.url()} lets nobody out: ${JSON.stringify(stops.slice(-5))}`)
  }
}

describeConsole(
  'without a mouse',
  (site) => {
    let scene: Scene
    before(async () => {
      scene = await setScene(site.gateway)
    })

    test('every page is gone through by Tab: the way past the menu first, and one always sees where one is', () =>
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

    test('one skips the menu, and chooses dark, which is kept', () =>
      site.visit({}, async (page) => {
        await untilShown(page)
        await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
        assert.equal(await page.evaluate('document.activeElement?.id'), 'content')
        await page.getByLabel(TEXTS.app.theme).focus()
        await page.keyboard.press('d')
        const isDark = (): Promise<boolean> =>
          page.evaluate<boolean>(`getComputedStyle(document.body).colorScheme === 'dark'`)
        assert.ok(await isDark())
        await page.reload()
        await untilShown(page)
        assert.ok(await isDark())
      }))

    test('on a phone the menu opens with a key, holds theme and sign-out, and gives the focus back', () =>
      site.visit({ viewport: PHONE }, async (page) => {
        await untilShown(page)
        const [menu, theme] = [page.getByRole('button', { name: TEXTS.app.more }), page.getByLabel(TEXTS.app.theme)]
        assert.ok(await theme.isHidden())
        await menu.focus()
        await page.keyboard.press('Enter')
        await theme.waitFor()
        await page.keyboard.press('Tab')
        assert.ok(await theme.evaluate((element) => element === element.ownerDocument.activeElement))
        await page.keyboard.press('Tab')
        assert.match((await stop(page))?.name ?? '', new RegExp(TEXTS.app.signOut))
        await page.keyboard.press('Escape')
        await theme.waitFor({ state: 'hidden' })
        assert.match((await stop(page))?.name ?? '', new RegExp(TEXTS.app.more))
      }))

    test('a dialog takes the focus, keeps it, and gives it back', () =>
      site.visit({ path: `/messages/${scene.delivered}` }, async (page) => {
        const erase = page.getByRole('button', { name: TEXTS.message.actions.erase })
        await erase.focus()
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
        assert.match((await stop(page))?.name ?? '', new RegExp(TEXTS.message.actions.erase))
      }))
  },
  CALM,
)
