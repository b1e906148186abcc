import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sendMail } from '../support/email.ts'
import type { Gateway } from '../support/gateway.ts'
import { magic, send, show, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { addFilter, describeConsole, PHONE } from './console.fixture.ts'
import { SCENE_CONFIG } from './scene.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.deadLetters
const SMS_COUNT = 4

const rows = (page: Page): Locator => page.locator('tr[data-row]')
const rowOf = (page: Page, id: string): Locator => page.locator(`tr[data-row="${id}"]`)
const panel = (page: Page): Locator => page.getByRole('region', { name: T.run.title })
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

describeConsole(
  'dead letters page',
  (site) => {
    let ids: readonly string[] = []
    let gateway: Gateway
    const open = (act: (page: Page) => Promise<void>): Promise<void> =>
      site.visit({ path: '/dead-letters', token: gateway.token }, act)
    const cycles = (): Promise<readonly number[]> => Promise.all(ids.map(async (id) => (await show(gateway, id)).cycle))

    /** Each test has its own tenant, and so its own dead letters. */
    beforeEach(async () => {
      gateway = await site.gateway.of(`tenant-${randomUUID()}`)
      const sms = Array.from({ length: SMS_COUNT }, () => send(gateway, { to: magic('0004') }))
      ids = await Promise.all([...sms, sendMail(gateway, { to: 'down@sim.pombo.test' })])
      for (const id of ids) await untilStatus(gateway, id, 'failed')
      await untilIndexed(gateway)
    })

    test('groups dead letters by reason and filters by a reason', () =>
      open(async (page) => {
        await until('all rows', async () => (await rows(page).count()) === ids.length)
        await page.locator('button.reason', { hasText: 'email' }).click()
        await until('the email alone', async () => (await rows(page).count()) === 1)
        assert.equal(new URL(page.url()).searchParams.get('channel'), 'email')
      }))

    test('replays all after a countdown in which the replay can be undone', () =>
      open(async (page) => {
        await button(page, T.replayAll(ids.length)).click()
        await panel(page).getByRole('button', { name: T.run.undo }).click()
        await panel(page).waitFor({ state: 'detached' })
        assert.deepEqual(await cycles(), [1, 1, 1, 1, 1])
        await button(page, T.replayAll(ids.length)).click()
        await panel(page).getByText(T.run.ends.done).waitFor()
        await panel(page).getByText(T.run.replayed(ids.length)).waitFor()
        assert.deepEqual(await cycles(), [2, 2, 2, 2, 2])
      }))

    test('offers no further replay until the counts are refreshed', () =>
      open(async (page) => {
        await button(page, T.replayAll(ids.length)).waitFor()
        const release = Promise.withResolvers<void>()
        await page.route('**/v1/stats/errors*', async (route) => {
          await release.promise
          await route.continue()
        })
        await button(page, T.replayAll(ids.length)).click()
        await panel(page).getByText(T.run.ends.done).waitFor()
        assert.equal(await button(page, T.replayAll(ids.length)).count(), 0)
        assert.ok(await page.locator('.reason-replay').first().isDisabled())
        release.resolve()
        await button(page, T.replayAll(ids.length)).waitFor()
      }))

    test('sorts by creation time, also on a phone', () =>
      site.visit({ path: '/dead-letters', token: gateway.token, viewport: PHONE }, async (page) => {
        await until('all rows', async () => (await rows(page).count()) === ids.length)
        const made = await Promise.all(ids.map(async (id) => [(await show(gateway, id)).created_at, id] as const))
        const times = new Map(made.map(([at, id]) => [id, at]))
        const shown = await Promise.all((await rows(page).all()).map((row) => row.getAttribute('data-row')))
        const inOrder = shown.map((id) => times.get(id ?? '') ?? '')
        assert.deepEqual(inOrder, inOrder.toSorted().reverse())
        for (const row of await rows(page).all()) {
          const box = await row.locator('td').last().boundingBox()
          assert.ok(box !== null && box.width > 0 && box.x + box.width <= PHONE.width)
          await row.getByText(T.failed).waitFor()
        }
      }))

    test('filters by creation time', () =>
      open(async (page) => {
        await page.getByRole('searchbox', { name: TEXTS.common.search, exact: true }).waitFor()
        await addFilter(page, TEXTS.messages.created)
        await button(page, TEXTS.common.filters.presets.hour).click()
        await page.waitForURL((url) => url.searchParams.has('created_from'))
        await until('all rows', async () => (await rows(page).count()) === ids.length)
        await addFilter(page, TEXTS.messages.created)
        await button(page, TEXTS.common.filters.presets.yesterday).click()
        await page.waitForURL((url) => url.searchParams.has('created_to'))
        await page.getByText(T.noMatch).or(page.getByText(T.nothing)).waitFor()
      }))

    test('cancels a replay when the user leaves before it starts', () =>
      open(async (page) => {
        await button(page, T.replayAll(ids.length)).click()
        await panel(page).waitFor()
        await page.getByRole('link', { name: TEXTS.pages.providers }).click()
        await page.getByText(T.run.left).waitFor()
        assert.deepEqual(await cycles(), [1, 1, 1, 1, 1])
      }))

    test('selects and replays by keyboard, with a progress bar', () =>
      open(async (page) => {
        await rows(page)
          .nth(ids.length - 1)
          .waitFor()
        const chosen = [0, 2].map((place) => rows(page).nth(place).getAttribute('data-row'))
        for (const key of ['j', 'Space', 'j', 'j', 'Space', 'r']) await page.keyboard.press(key)
        // The progress bar may disappear quickly, so the page itself records it.
        await page.evaluate(`new MutationObserver(() => {
          if (document.querySelector('[role=progressbar][aria-valuenow]') !== null) window.sawProgress = true
        }).observe(document.body, { subtree: true, childList: true, attributes: true })`)
        await panel(page).getByText(T.run.replayed(2)).waitFor()
        assert.equal(await page.evaluate('window.sawProgress'), true)
        const reached = await cycles()
        const replayed = ids.filter((_, place) => reached[place] === 2)
        assert.deepEqual(replayed.toSorted(), (await Promise.all(chosen)).toSorted())
      }))

    test('skips messages that a rate limit refuses and shows the reason, in bulk and one by one', async () => {
      const limit = { limit: 1, window_seconds: 3600, algorithm: 'fixed' }
      const path = `/v1/limits/recipient/${encodeURIComponent(magic('0004'))}`
      assert.equal((await gateway.call('PUT', path, limit)).status, 200)
      await site.visit({ path: '/dead-letters', token: gateway.token, expected: /status of 429/ }, async (page) => {
        await button(page, T.replayAll(ids.length)).click()
        await panel(page).getByText(T.run.replayed(2)).waitFor()
        await panel(page).getByText(T.run.limited).waitFor()
        assert.equal(await panel(page).getByText(T.run.skippedWhy).count(), 0)
        const reached = await cycles()
        const held = ids.filter((_, place) => reached[place] === 1)
        assert.equal(held.length, SMS_COUNT - 1)

        await panel(page).getByRole('button', { name: TEXTS.common.close }).click()
        for (const id of held.slice(0, 2)) await rowOf(page, id).getByRole('checkbox').check()
        await button(page, T.replaySelected).click()
        await panel(page).getByText(T.run.ends.done).waitFor()
        await panel(page).getByText(T.run.skipped(2)).waitFor()
        await panel(page).getByText(T.run.limited).waitFor()
      })
    })

    test('removes replayed messages and lists them again when they fail', () =>
      open(async (page) => {
        const [id = ''] = ids
        await rowOf(page, id).getByRole('checkbox').check()
        await button(page, T.replaySelected).click()
        await panel(page).getByText(T.run.replayed(1)).waitFor()
        await until('the second cycle to fail', async () => {
          const { cycle, status } = await show(gateway, id)
          return cycle === 2 && status === 'failed'
        })
        await rowOf(page, id).getByText(T.attempts(4, 2)).waitFor()
      }))
  },
  SCENE_CONFIG,
)
