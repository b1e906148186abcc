import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { TEXTS } from '../../console/src/texts.ts'
import { sendMail } from '../support/email.ts'
import { openFakeHttp } from '../support/fake-http.ts'
import { send, show, untilEvent, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { describeConsole, PHONE } from './console.fixture.ts'
import { createScene, SCENE_CONFIG, type Scene } from './scene.ts'

const T = TEXTS.message

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
/** The exact badge: dialogs open inside the header, and their texts may contain the same word. */
const status = (page: Page, word: string) => page.locator('.message-head .badge').getByText(word, { exact: true })
const event = (page: Page, words: string | RegExp) => page.locator('ol.events').getByText(words)
/** Matches the text with anything in place of the dots. */
const toPattern = (words: string): RegExp => new RegExp(RegExp.escape(words).replace('…', '.+'))

describeConsole(
  'message page',
  (site) => {
    let scene: Scene
    before(async () => {
      scene = await createScene(site.gateway)
    })

    test('shows both state machines, every event with its data, and the decisions', () =>
      site.visit({ path: `/messages/${scene.dead}` }, async (page) => {
        await status(page, 'failed').waitFor()
        await page.getByText('SERVICE_UNAVAILABLE').first().waitFor()
        await page.getByRole('img', { name: T.machines.picture(T.machines.handoff, 'failed') }).waitFor()
        await event(page, T.events.DeadLettered).click()
        await page.locator('ol.events pre', { hasText: '"DeadLettered"' }).waitFor()
        const { events } = await show(site.gateway, scene.dead)
        assert.equal(await page.locator('ol.events > li').count(), events.length)
        await page.getByRole('link', { name: T.decisions.resolve }).waitFor()
      }))

    test('shows the passed states, and endpoints without a matching event', async () => {
      const { call } = site.gateway
      const failures = { id: 'failures', url: 'http://127.0.0.1:9/hooks', events: ['message.failed'] }
      assert.equal((await call('POST', '/v1/endpoints', failures)).status, 201)
      const id = await send(site.gateway)
      await untilStatus(site.gateway, id, 'delivered')
      await site.visit({ path: `/messages/${id}` }, async (page) => {
        const { step, passed } = T.machines
        for (const state of ['queued', 'sending'])
          await page.getByText(step(state, passed)).waitFor({ state: 'attached' })
        await page
          .locator('.webhook-deliveries li', { hasText: 'failures' })
          .getByText(TEXTS.webhooks.states.skipped)
          .waitFor()
      })
      await call('DELETE', '/v1/endpoints/failures')
    })

    test('shows a wait that open circuit breakers prolonged, during and after it', async () => {
      for (const name of ['simulator', 'spare'])
        await site.gateway.call('POST', `/v1/providers/${name}/breaker`, { action: 'trip', seconds: 6 })
      const id = await send(site.gateway)
      await site.visit({ path: `/messages/${id}` }, async (page) => {
        await page.getByText(toPattern(T.decisions.overdueNow('…'))).waitFor()
        await event(page, toPattern(T.events.overdue('…'))).waitFor()
        await page
          .locator('.decisions-list')
          .getByText(toPattern(T.events.overdue('…')))
          .waitFor()
      })
    })

    test('scrolls a long timeline to its newest end and marks the cut edge', async () => {
      const id = await send(site.gateway, { to: '+15005550004' })
      for (const cycle of [1, 2, 3]) {
        await until(`cycle ${cycle} to fail`, async () => {
          const shown = await show(site.gateway, id)
          return shown.cycle === cycle && shown.status === 'failed'
        })
        if (cycle < 3) await site.gateway.call('POST', `/v1/messages/${id}/resend`)
      }
      await site.visit({ path: `/messages/${id}`, viewport: PHONE }, async (page) => {
        await page.locator('.timeline-scroll[data-cut="left"]').waitFor()
        await page.evaluate("document.querySelector('.timeline-scroll').scrollLeft = 0")
        await page.locator('.timeline-scroll[data-cut="right"]').waitFor()
      })
    })

    test('updates live', async () => {
      const slow = await send(site.gateway, { to: '+15005550009' })
      await site.visit({ path: `/messages/${slow}` }, async (page) => {
        await status(page, 'sending').waitFor()
        await status(page, 'delivered').waitFor()
        await event(page, T.events.ProviderDelivered).waitFor()
      })
    })

    test('resends a failed message at once, and a delivered one after confirmation', async () => {
      const { delivered, dead } = scene
      await site.visit({ path: `/messages/${delivered}` }, async (page) => {
        await button(page, T.actions.resend).click()
        await dialog(page, T.actions.resendTitle).getByRole('button', { name: TEXTS.common.cancel }).click()
        assert.equal((await show(site.gateway, delivered)).cycle, 1)
        await button(page, T.actions.resend).click()
        await dialog(page, T.actions.resendTitle).getByRole('button', { name: T.actions.resend }).click()
        await event(page, T.events.ResendRequested.resend).waitFor()
        await until('the second cycle', async () => (await show(site.gateway, delivered)).cycle === 2)
        await untilStatus(site.gateway, delivered, 'delivered')
        await status(page, 'delivered').waitFor()
      })
      await site.visit({ path: `/messages/${dead}` }, async (page) => {
        await button(page, T.actions.resend).click()
        await page.getByText(T.actions.resent).waitFor()
        assert.equal((await show(site.gateway, dead)).cycle, 2)
      })
    })

    test('resolves an unknown outcome', () =>
      site.visit({ path: `/messages/${scene.unknown}` }, async (page) => {
        await page.getByText(T.notes.unknown('mute')).waitFor()
        await button(page, T.actions.resolve).click()
        const resolve = dialog(page, T.actions.resolveTitle)
        const [choice] = T.actions.resolutions.not_sent
        await resolve.getByLabel(choice).check()
        await resolve.getByRole('button', { name: T.actions.resolveAction }).click()
        await resolve.waitFor({ state: 'detached' })
        await status(page, 'failed').waitFor()
        await untilStatus(site.gateway, scene.unknown, 'failed')
      }))

    test('erases only after the confirmation is checked', async () => {
      const id = await send(site.gateway)
      await untilStatus(site.gateway, id, 'delivered')
      await site.visit({ path: `/messages/${id}` }, async (page) => {
        await button(page, T.actions.erase).click()
        const sure = dialog(page, T.actions.eraseTitle)
        const erase = sure.getByRole('button', { name: T.actions.eraseAction })
        assert.ok(await erase.isDisabled())
        await page.keyboard.press('Escape')
        await sure.waitFor({ state: 'detached' })
        assert.equal((await show(site.gateway, id)).erased, false)
        await button(page, T.actions.erase).click()
        await sure.getByLabel(T.actions.eraseCheck).check()
        await erase.click()
        await page.getByText(T.notes.erased).waitFor()
        await page.getByRole('heading', { name: T.erasedRecipient }).waitFor()
        await page.getByText(T.content.erased).waitFor()
        await untilEvent(site.gateway, id, 'MessageErased')
      })
    })

    test('shows the content and its parts on request, but never one-time codes', () =>
      site.visit({ path: `/messages/${scene.delivered}` }, async (page) => {
        assert.equal(await page.getByText('Zoë').count(), 0)
        await button(page, T.content.show).click()
        await page.getByText('UCS-2').last().waitFor()
        await page.getByText('Zoë').first().waitFor()
        await button(page, T.content.hide).click()
        await page.getByText('Zoë').first().waitFor({ state: 'detached' })
        await page.goto(`${site.gateway.url}/console/messages/${scene.code}`)
        await page.getByText(T.content.code).waitFor()
        assert.equal(await button(page, T.content.show).count(), 0)
      }))

    test('shows the HTML of an email without running or loading anything', async () => {
      await using elsewhere = await openFakeHttp(() => ({ status: 200, body: '' }))
      const html = `<p onclick="parent.wasRun = 1">Hello</p><script>parent.wasRun = 1</script>
        <img src="${elsewhere.url}/p.png" onerror="parent.wasRun = 1"><img src=x onerror="parent.wasRun = 1">
        <svg onload="parent.wasRun = 1"></svg><a href="javascript:parent.wasRun = 1">there</a>
        <iframe src="${elsewhere.url}/"></iframe><link rel="stylesheet" href="${elsewhere.url}/s.css">
        <p style="background: url(${elsewhere.url}/b.png); color: rgb(1, 2, 3)">styled</p>
        <p title=">" style="color: red" onclick="parent.wasRun = 1">awkward</p>
        <template shadowrootmode="open"><p style="color: red" onclick="parent.wasRun = 1">shadow</p></template>`
      const id = await sendMail(site.gateway, { html })
      await untilStatus(site.gateway, id, 'failed')
      await untilIndexed(site.gateway)
      await site.visit({ path: `/messages/${id}`, expected: /b\.png/ }, async (page) => {
        await button(page, T.content.show).click()
        const mail = page.frameLocator('iframe.mail-frame')
        await mail.getByText('styled').waitFor()
        await page.getByText(TEXTS.mailView.blocked).waitFor()
        await mail.getByText('Hello').click()
        await mail.getByText('there').click()
        assert.equal(await page.evaluate('String(window.wasRun)'), 'undefined')
        assert.match(page.url(), new RegExp(`/messages/${id}$`))
        const colour = await page.evaluate<string>(`getComputedStyle(
          document.querySelector('iframe.mail-frame').contentDocument.querySelectorAll('p')[1]).color`)
        assert.equal(colour, 'rgb(1, 2, 3)')
      })
      assert.deepEqual(elsewhere.requests, [])
    })

    test('reports a message that does not exist', () =>
      site.visit(
        { path: '/messages/0198c000-0000-7000-8000-000000000000', expected: /status of 404/ },
        async (page) => {
          await page.getByText(T.missing).waitFor()
        },
      ))
  },
  SCENE_CONFIG,
)
