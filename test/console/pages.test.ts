import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { TEXTS } from '../../console/src/texts.ts'
import { axeFindings } from './axe.ts'
import { describeConsole, PAGES, PHONE, type Site, untilShown, type VisitOptions } from './console.fixture.ts'
import { createScene, SCENE_CONFIG, type Scene } from './scene.ts'

/** Only axe bypasses the policy, in visits that test nothing else. */
const ROUND = { bypassCSP: true }

/** The findings of each page, prefixed with its path. */
async function findings(
  site: Site,
  paths: readonly string[],
  options: VisitOptions,
  look: (page: Page) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found: string[] = []
  await site.visit(options, async (page) => {
    for (const path of paths) {
      await page.goto(`${site.gateway.url}/console${path}`)
      await untilShown(page)
      found.push(...(await look(page)).map((finding) => `${path} ${finding}`))
    }
  })
  return found
}

async function overflows(page: Page): Promise<readonly string[]> {
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  return width > PHONE.width ? [`is ${width} px wide`] : []
}

function checkAll(site: Site, paths: () => readonly string[]): void {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`is accessible in ${colorScheme} on every page`, async () =>
      assert.deepEqual(await findings(site, paths(), { ...ROUND, colorScheme }, axeFindings), []))
  }

  test('is accessible on a phone on every page, and not wider than the screen', async () => {
    const look = async (page: Page) => [...(await overflows(page)), ...(await axeFindings(page))]
    assert.deepEqual(await findings(site, paths(), { ...ROUND, viewport: PHONE }, look), [])
  })
}

describeConsole('console without data', (site) => {
  checkAll(site, () => PAGES.map(([path]) => path))

  test('axe finds violations', () =>
    site.visit(ROUND, async (page) => {
      await untilShown(page)
      await page.evaluate(`document.body.append(Object.assign(document.createElement('button'), {}))`)
      assert.match((await axeFindings(page)).join(), /^button-name/)
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
      await goTo(page, TEXTS.pages.suppressions)
      await page.getByRole('alert').getByText(TEXTS.common.unreachable).waitFor()
      isAway = false
      await page.getByRole('button', { name: T.tryNow }).click()
      await page.getByText(TEXTS.suppressions.none).waitFor()
      await page.getByText(T.gone).waitFor({ state: 'detached' })
    }))

  test('keeps the height of the menu on a short page', () =>
    site.visit({ path: '/nowhere', viewport: PHONE }, async (page) => {
      await untilShown(page)
      const { height = 0 } = (await page.getByRole('navigation', menu).boundingBox()) ?? {}
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
    checkAll(site, () => [
      ...PAGES.map(([path]) => path),
      ...Object.values(scene).map((id) => `/messages/${id}`),
      ...['/simulator?device=mailbox', '/routes?to=%2B5511987654321', '/messages?status=failed&tag=order'],
      ...['/templates?name=shipped', '/templates?name=welcome', '/templates?new=email', '/webhooks?endpoint=orders'],
      '/nowhere',
    ])

    /** The page and button of each dialog. */
    const dialogs = (): readonly (readonly [path: string, button: string])[] => [
      [`/messages/${scene.delivered}`, TEXTS.message.actions.erase],
      [`/messages/${scene.delivered}`, TEXTS.message.actions.resend],
      [`/messages/${scene.delivered}`, TEXTS.message.actions.curl],
      [`/messages/${scene.unknown}`, TEXTS.message.actions.resolve],
      ['/providers', `${TEXTS.providers.actions.trip} ${TEXTS.providers.actions.of('spare')}`],
      ['/routes', TEXTS.routes.add],
      ['/limits', TEXTS.limits.add],
      ['/recipients', TEXTS.recipients.add],
      ['/suppressions', TEXTS.suppressions.add],
      ['/suppressions', TEXTS.suppressions.import],
      ['/webhooks', TEXTS.webhooks.add],
      ['/webhooks?endpoint=orders', TEXTS.webhooks.rotate],
      ['/templates?name=shipped', TEXTS.templates.remove],
    ]
    for (const [name, options] of [
      ['wide and in light', { colorScheme: 'light' }],
      ['on a phone and in dark', { colorScheme: 'dark', viewport: PHONE }],
    ] as const) {
      test(`has accessible dialogs, ${name}`, async () => {
        const found: string[] = []
        await site.visit({ ...ROUND, ...options }, async (page) => {
          for (const [path, button] of dialogs()) {
            await page.goto(`${site.gateway.url}/console${path}`)
            await page.getByRole('button', { name: button, exact: true }).click()
            await page.getByRole('dialog').waitFor()
            const all = [...(options.viewport === PHONE ? await overflows(page) : []), ...(await axeFindings(page))]
            found.push(...all.map((finding) => `${path} ${button} ${finding}`))
          }
        })
        assert.deepEqual(found, [])
      })
    }

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
