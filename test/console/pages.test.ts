import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { axeFindings, COLOURS } from './axe.ts'
import { chooseAction, DESK, describeConsole, PAGES, PHONE, type Site, untilShown } from './console.fixture.ts'
import { createScene, SCENE_CONFIG, type Scene } from './scene.ts'
import { TEXTS } from './texts.ts'

/** Only axe may bypass the page's policy, in visits that check nothing else. */
const ROUND = { bypassCSP: true, colorScheme: 'light' } as const

/** A page as loaded, in the other colour scheme, and in the size of a phone. */
async function flaws(page: Page): Promise<readonly string[]> {
  const wide = await axeFindings(page)
  const dark = await flawsInDark(page)
  await page.setViewportSize(PHONE)
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  const small = [...(await overflows(page)), ...(await axeFindings(page))]
  await page.setViewportSize(DESK)
  return [...wide, ...dark, ...small.map((flaw) => `on a phone ${flaw}`)]
}

async function flawsInDark(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  const found = await axeFindings(page, COLOURS)
  await page.emulateMedia({ colorScheme: 'light' })
  return found.map((flaw) => `in dark ${flaw}`)
}

async function overflows(page: Page): Promise<readonly string[]> {
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  return width > PHONE.width ? [`is ${width} px wide`] : []
}

const ACCESSIBLE =
  'is accessible on every page in light and dark mode and on a phone, where nothing is wider than the screen'

/** The violations of each page by path. */
const checkAll = (site: Site, paths: readonly string[]): Promise<void> =>
  site.visit(ROUND, async (page) => {
    const found: string[] = []
    for (const path of paths) {
      await page.goto(`${site.gateway.url}/console${path}`)
      await untilShown(page)
      found.push(...(await flaws(page)).map((flaw) => `${path} ${flaw}`))
    }
    assert.deepEqual(found, [])
  })

describeConsole('a console with nothing to show', (site) => {
  test(ACCESSIBLE, () =>
    checkAll(
      site,
      PAGES.map(([path]) => path),
    ),
  )

  test('the check finds violations, also in dark mode and on a phone', () =>
    site.visit(ROUND, async (page) => {
      await untilShown(page)
      await page.addStyleTag({
        content: `@media (prefers-color-scheme: dark) { h1 { color: #222 } }
          @media (width < 400px) { h1 { min-width: 500px } }`,
      })
      await page.evaluate(`document.body.append(Object.assign(document.createElement('button'), {}))`)
      const found = await flaws(page)
      for (const flaw of [/^button-name/, /^in dark color-contrast/, /^on a phone is 5\d\d px wide/])
        assert.ok(
          found.some((one) => flaw.test(one)),
          `${flaw} is not among ${found}`,
        )
    }))
})

describeConsole('console with an unreachable gateway', (site) => {
  const [T, menu] = [TEXTS.app, { name: TEXTS.app.nav }]
  const goTo = (page: Page, name: string): Promise<void> =>
    page.getByRole('navigation', menu).getByRole('link', { name }).click()
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

  test('reports a page that cannot be loaded, keeps the others usable, and retries on request', () =>
    site.visit({ path: '/routes', expected: new RegExp(`ERR_FAILED|${T.notFetched}`) }, async (page) => {
      await page.route('**/assets/limits-*', (route) => route.abort())
      await heading(page, TEXTS.pages.routes).waitFor()
      await goTo(page, TEXTS.pages.limits)
      await heading(page, T.notFetched).waitFor()
      await goTo(page, TEXTS.pages.messages)
      await heading(page, TEXTS.pages.messages).waitFor()
      await page.goBack()
      await heading(page, T.notFetched).waitFor()
      await page.unroute('**/assets/limits-*')
      await page.getByRole('button', { name: TEXTS.common.tryAgain }).click()
      await heading(page, TEXTS.pages.limits).waitFor()
    }))

  test('shows a lost connection, and reloads the data once it is back', () =>
    site.visit({ path: '/suppressions', viewport: PHONE, expected: /ERR_FAILED/ }, async (page) => {
      let isAway = false
      // A stream that ends cleanly is reopened at once, so the test can interrupt it at any time.
      const stream = { contentType: 'text/event-stream', body: ': listening\n\n' }
      await page.route('**/v1/**', (route) => (isAway ? route.abort() : route.fallback()))
      await page.route('**/v1/events', (route) => (isAway ? route.abort() : route.fulfill(stream)))
      await page.goto(`${site.gateway.url}/console/recipients`)
      await page.getByText(TEXTS.recipients.none).waitFor()
      isAway = true
      await page.getByRole('alert').getByText(T.gone).waitFor()
      await page.getByText(/\d+ s old/).waitFor()
      await page.getByRole('button', { name: T.openMenu }).click()
      await goTo(page, TEXTS.pages.suppressions)
      await page.getByRole('alert').getByText(TEXTS.common.unreachable).waitFor()
      isAway = false
      await page.getByRole('button', { name: T.tryNow }).click()
      await page.getByText(TEXTS.suppressions.none).waitFor()
      await page.getByText(T.gone).waitFor({ state: 'detached' })
    }))

  test('has an accessible menu on a phone, which stays open when the screen gets wider', () =>
    site.visit({ ...ROUND, viewport: PHONE }, async (page) => {
      await page.getByRole('button', { name: T.openMenu }).click()
      const drawer = page.getByRole('dialog', { name: T.menu })
      await drawer.waitFor()
      const found = [...(await overflows(page)), ...(await axeFindings(page)), ...(await flawsInDark(page))]
      assert.deepEqual(found, [])
      await page.setViewportSize(DESK)
      await drawer.getByRole('button', { name: T.closeMenu }).click()
      await drawer.waitFor({ state: 'detached' })
      await goTo(page, TEXTS.pages.limits)
      await heading(page, TEXTS.pages.limits).waitFor()
    }))

  test('keeps the height of the bar of a phone on a short page', () =>
    site.visit({ path: '/nowhere', viewport: PHONE }, async (page) => {
      await untilShown(page)
      const { height = 0 } = (await page.getByRole('banner').boundingBox()) ?? {}
      assert.ok(height > 0 && height < 80, `${height}`)
    }))
})

describeConsole(
  'console with data on every page',
  (site) => {
    let scene: Scene
    before(async () => {
      scene = await createScene(site.gateway)
    })
    const paths = () => [
      ...PAGES.map(([path]) => path),
      ...Object.values(scene).map((id) => `/messages/${id}`),
      ...['/simulator?device=mailbox', '/routes?to=%2B5511987654321', '/messages?status=failed&tag=order'],
      ...['/templates?name=shipped', '/templates?name=welcome', '/templates?new=email', '/webhooks?endpoint=orders'],
      ...['/send?kind=email&sample=1', '/send?kind=otp', '/send?to=%2B15005550100&sample=1'],
      '/nowhere',
    ]
    test(ACCESSIBLE, () => checkAll(site, paths()))

    /** The page and button of each dialog. */
    const dialogs = (): readonly (readonly [path: string, button: string])[] => [
      [`/messages/${scene.delivered}`, TEXTS.message.actions.resend],
      [`/messages/${scene.unknown}`, TEXTS.message.actions.resolve],
      ['/providers', `${TEXTS.providers.actions.pause} ${TEXTS.providers.actions.of('spare')}`],
      ['/routes', TEXTS.routes.add],
      ['/limits', TEXTS.limits.add],
      ['/recipients', TEXTS.recipients.add],
      ['/suppressions', TEXTS.suppressions.add],
      ['/suppressions', TEXTS.suppressions.import],
      ['/webhooks', TEXTS.webhooks.add],
      ['/webhooks?endpoint=orders', TEXTS.webhooks.rotate],
      ['/templates?name=shipped', TEXTS.templates.remove],
    ]
    test('has accessible dialogs in light and dark mode and on a phone', () =>
      site.visit(ROUND, async (page) => {
        const found: string[] = []
        for (const [path, button] of dialogs()) {
          await page.goto(`${site.gateway.url}/console${path}`)
          await page.getByRole('button', { name: button, exact: true }).click()
          await page.getByRole('dialog').waitFor()
          found.push(...(await flaws(page)).map((flaw) => `${path} ${button} ${flaw}`))
        }
        assert.deepEqual(found, [])
      }))

    test('has an accessible menu of actions, and dialogs that it opens', () =>
      site.visit(ROUND, async (page) => {
        const found: string[] = []
        await page.goto(`${site.gateway.url}/console/messages/${scene.delivered}`)
        await page.getByRole('button', { name: TEXTS.message.actions.more, exact: true }).click()
        await page.getByRole('menu').waitFor()
        found.push(...(await flaws(page)))
        await page.keyboard.press('Escape')
        for (const action of [TEXTS.message.actions.erase, TEXTS.message.actions.curl]) {
          await chooseAction(page, action)
          await page.getByRole('dialog').waitFor()
          found.push(...(await flaws(page)).map((flaw) => `${action} ${flaw}`))
          await page.keyboard.press('Escape')
          await page.getByRole('dialog').waitFor({ state: 'detached' })
        }
        assert.deepEqual(found, [])
      }))

    test('keeps the row actions visible, however long the values are', async () => {
      await site.gateway.call('POST', '/v1/recipients', {
        name: 'A'.repeat(100),
        email: `${'b'.repeat(60)}@mail.example`,
      })
      await site.visit({ path: '/recipients' }, async (page) => {
        await page.getByText('A'.repeat(100)).waitFor()
        const cut = await page.evaluate<number>(`[...document.querySelectorAll('.table-wrap, .table-wrap td')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length`)
        assert.equal(cut, 0)
      })
    })
  },
  SCENE_CONFIG,
)
