import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { TEXTS } from '../../console/src/texts.ts'
import { sendMail } from '../support/email.ts'
import { openFakeHttp } from '../support/fake-http.ts'
import { send, show, untilEvent, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { describeConsole, PHONE } from './console.fixture.ts'
import { CALM, type Scene, setScene } from './scene.ts'

const T = TEXTS.message

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const head = (page: Page) => page.locator('.message-head')
const event = (page: Page, words: string | RegExp) => page.locator('ol.events').getByText(words)
/** The words, whatever stands for the dots. */
const toPattern = (words: string): RegExp => new RegExp(RegExp.escape(words).replace('…', '.+'))

describeConsole(
  'the page of one message',
  (site) => {
    let scene: Scene
    before(async () => {
      scene = await setScene(site.gateway)
    })

    test('tells its story: both machines, every event with its data, and who decided what', () =>
      site.visit({ path: `/messages/${scene.dead}` }, async (page) => {
        await head(page).getByText('failed').waitFor()
        await page.getByText('SERVICE_UNAVAILABLE').first().waitFor()
        await page.getByRole('img', { name: T.machines.picture(T.machines.handoff, 'failed') }).waitFor()
        await event(page, T.events.DeadLettered).click()
        await page.locator('ol.events pre', { hasText: '"DeadLettered"' }).waitFor()
        const { events } = await show(site.gateway, scene.dead)
        assert.equal(await page.locator('ol.events > li').count(), events.length)
        await page.getByRole('link', { name: T.decisions.resolve }).waitFor()
      }))

    test('has been created before it was queued, and says to whom there was nothing to tell', async () => {
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
          .getByText(T.webhookDeliveries.states.nothing)
          .waitFor()
      })
      await call('DELETE', '/v1/endpoints/failures')
    })

    test('tells of a wait that breakers made longer than planned, while it lasts and after', async () => {
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

    test('opens a long timeline at its newest end, and shows that there is more before it', async () => {
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

    test('follows the message while one looks', async () => {
      const slow = await send(site.gateway, { to: '+15005550009' })
      await site.visit({ path: `/messages/${slow}` }, async (page) => {
        await head(page).getByText('sending').waitFor()
        await head(page).getByText('delivered').waitFor()
        await event(page, T.events.ProviderDelivered).waitFor()
      })
    })

    test('sends again what has failed at once, and what the provider has only when one is sure', async () => {
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
        await head(page).getByText('delivered').waitFor()
      })
      await site.visit({ path: `/messages/${dead}` }, async (page) => {
        await button(page, T.actions.resend).click()
        await page.getByText(T.actions.resent).waitFor()
        assert.equal((await show(site.gateway, dead)).cycle, 2)
      })
    })

    test('settles by hand what nobody knows', () =>
      site.visit({ path: `/messages/${scene.unknown}` }, async (page) => {
        await page.getByText(T.notes.unknown('mute')).waitFor()
        await button(page, T.actions.resolve).click()
        const [choice] = T.actions.resolutions.not_sent
        await dialog(page, T.actions.resolveTitle).getByLabel(choice).check()
        await dialog(page, T.actions.resolveTitle).getByRole('button', { name: T.actions.resolveAction }).click()
        await head(page).getByText('failed').waitFor()
        await untilStatus(site.gateway, scene.unknown, 'failed')
      }))

    test('erases for ever, but only once one has said to know that', async () => {
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
        await page.getByRole('heading', { name: T.somebody }).waitFor()
        await page.getByText(T.content.erased).waitFor()
        await untilEvent(site.gateway, id, 'MessageErased')
      })
    })

    test('opens what it says when asked, in the parts that travel, and codes to nobody', () =>
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

    test('shows the html of a mail without running or fetching anything of it', async () => {
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
      assert.deepEqual(elsewhere.heard, [])
    })

    test('says so where there is no such message', () =>
      site.visit(
        { path: '/messages/0198c000-0000-7000-8000-000000000000', expected: /status of 404/ },
        async (page) => {
          await page.getByText(T.missing).waitFor()
        },
      ))
  },
  CALM,
)
