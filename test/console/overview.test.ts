import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { magic, send, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { describeConsole, PHONE } from './console.fixture.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.overview

const step = (page: Page, name: keyof typeof T.start.steps) =>
  page.locator('.start li', { hasText: T.start.steps[name].title })
const volume = (page: Page) => page.locator('.chart', { hasText: T.volume.title })
const plot = (page: Page) => volume(page).getByRole('application')
const tooltip = (page: Page) => page.locator('.chart-tooltip')

describeConsole('overview of a new gateway', (site) => {
  test('lists what is left to do, and ticks it once it is done', () =>
    site.visit({ path: '/' }, async (page) => {
      await page.getByText(T.start.progress(0, 5)).waitFor()
      assert.equal(await page.locator('.chart').count(), 0)
      await page.locator('.start-call', { hasText: `${site.gateway.url}/v1/sms/send` }).waitFor()
      const id = await send(site.gateway)
      await untilStatus(site.gateway, id, 'delivered')
      await step(page, 'send').getByLabel(T.start.done).waitFor()
      await site.gateway.call('POST', '/v1/api-keys', { name: 'shop', scopes: ['sms:send'] })
      await step(page, 'key').getByLabel(T.start.done).waitFor()
      await page.getByText(T.start.progress(2, 5)).waitFor()
      await step(page, 'provider').getByLabel(T.start.open).waitFor()
      await volume(page).waitFor()
      await page.getByRole('button', { name: T.start.dismiss }).click()
      await page.getByText(T.start.title).waitFor({ state: 'detached' })
      await page.reload()
      await volume(page).waitFor()
      assert.equal(await page.getByText(T.start.title).count(), 0)
    }))

  test('shows only steps that the session may take, and none once they are done', async () => {
    const token = await site.tokenFor(['sms:send', 'messages:read'], { test: true })
    await site.visit({ path: '/', token }, async (page) => {
      await page.getByText(T.start.progress(0, 1)).waitFor()
      const sent = await fetch(`${site.gateway.url}/v1/sms/send`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'first' },
        body: JSON.stringify({ to: '+15005550100', message: 'Hello' }),
      })
      assert.equal(sent.status, 202)
      await volume(page).waitFor()
      assert.equal(await page.getByText(T.start.title).count(), 0)
    })
  })

  test('shows the time since the first message, until another range is chosen', () =>
    site.visit({ path: '/' }, async (page) => {
      await page.getByText(T.shown(T.rangeWords['10m'])).waitFor()
      await page.getByText(T.choices['7d'], { exact: true }).click()
      await page.getByText(T.shown(T.rangeWords['7d'])).waitFor()
      assert.equal(new URL(page.url()).searchParams.get('range'), '7d')
      await page.getByText(T.choices.auto, { exact: true }).click()
      await page.getByText(T.shown(T.rangeWords['10m'])).waitFor()
      assert.equal(new URL(page.url()).searchParams.get('range'), null)
    }))
})

describeConsole('charts of the overview', (site) => {
  const seed = async (): Promise<void> => {
    const ids = await Promise.all([send(site.gateway), send(site.gateway), send(site.gateway, { to: magic('0001') })])
    for (const [nth, id] of ids.entries()) await untilStatus(site.gateway, id, nth === 2 ? 'failed' : 'delivered')
    await untilIndexed(site.gateway)
  }

  test('says the values of a step by pointer and by keyboard, and compares with the period before', async () => {
    await seed()
    await site.visit({ path: '/?range=24h' }, async (page) => {
      await plot(page).locator('canvas').waitFor()
      await volume(page)
        .getByText(T.volume.summary('3', '3', '').slice(0, 20))
        .waitFor()
      await plot(page).scrollIntoViewIfNeeded()
      const { x = 0, y = 0, width = 0 } = (await plot(page).boundingBox()) ?? {}
      await page.mouse.move(x + width - 14, y + 60)
      await tooltip(page).getByText('delivered').waitFor()
      assert.match((await tooltip(page).innerText()).replace(/\s+/g, ' '), /Failed 1 Delivered 2 Total 3$/)
      assert.equal(await tooltip(page).count(), 1, 'only the chart that is pointed at has a tooltip')
      await page.mouse.move(0, 0)
      await tooltip(page).waitFor({ state: 'detached' })
      await plot(page).focus()
      await page.keyboard.press('ArrowRight')
      const said = volume(page).locator('[role=status]')
      await said.getByText(/Total 3/).waitFor()
      const newest = await said.innerText()
      assert.match(newest, /: Failed 1, Delivered 2, Total 3$/)
      await page.keyboard.press('ArrowLeft')
      await said.getByText(/Total 0/).waitFor()
      assert.notEqual((await said.innerText()).split(': ')[0], newest.split(': ')[0])
      await page.keyboard.press('Escape')
      await tooltip(page).waitFor({ state: 'detached' })
      await page
        .locator('.tile', { hasText: T.tiles.nothingBefore(T.rangeWords['24h']) })
        .first()
        .waitFor()
    })
  })

  test('marks no label of an axis twice, from the width of a phone to that of a wall', () =>
    site.visit({ path: '/?range=24h' }, async (page) => {
      await page.addInitScript(`
        const drawn = (window.drawn = new Map())
        const { fillText, clearRect } = CanvasRenderingContext2D.prototype
        CanvasRenderingContext2D.prototype.clearRect = function (...args) { drawn.set(this.canvas, []); return clearRect.apply(this, args) }
        CanvasRenderingContext2D.prototype.fillText = function (text, ...args) { drawn.get(this.canvas)?.push(text); return fillText.call(this, text, ...args) }`)
      await page.reload()
      await plot(page).locator('canvas').waitFor()
      for (const width of [PHONE.width, 700, 1_000, 1_900]) {
        await page.setViewportSize({ width, height: 900 })
        await until('the chart to have the width', () =>
          page.evaluate<boolean>(
            `document.querySelector('.plot canvas').clientWidth <= document.querySelector('.plot').clientWidth`,
          ),
        )
        const charts = await page.evaluate<readonly (readonly string[])[]>(
          '[...window.drawn.entries()].filter(([canvas]) => canvas.isConnected).map(([, texts]) => texts)',
        )
        assert.ok(charts.length >= 3 && charts.every(({ length }) => length > 2), JSON.stringify(charts))
        for (const texts of charts) assert.equal(new Set(texts).size, texts.length, `${width} px: ${texts}`)
      }
    }))
})
