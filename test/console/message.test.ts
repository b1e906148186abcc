import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sendMail } from '../support/email.ts'
import { openFakeHttp } from '../support/fake-http.ts'
import { send, show, untilEvent, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { chooseAction, describeConsole, PHONE } from './console.fixture.ts'
import { createScene, SCENE_CONFIG, type Scene } from './scene.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.message

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
/** The exact badge: dialogs open inside the header, and their texts may contain the same word. */
const status = (page: Page, state: keyof typeof TEXTS.common.states) =>
  page.locator('.message-head .badge').getByText(TEXTS.common.states[state], { exact: true })
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

    test('says in one sentence what happened, for every end', async () => {
      const [bounced, invalid] = await Promise.all([
        sendMail(site.gateway, { to: 'bounce+sentence@sim.pombo.test' }),
        send(site.gateway, { to: '+15005550001' }),
      ])
      await untilEvent(site.gateway, bounced, 'ProviderBounced')
      await untilStatus(site.gateway, invalid, 'failed')
      const sentences: readonly (readonly [id: string, sentence: RegExp])[] = [
        [scene.delivered, /^Delivered by simulator in [\d.]+ m?s\.$/],
        [scene.code, /^Delivered by simulator in [\d.]+ m?s\.$/],
        [scene.dead, /^Failed after 2 attempts: the provider is temporarily unavailable\.$/],
        [
          scene.unknown,
          /^Outcome unknown: mute did not answer\. Pombo waits for a delivery report and checks again in \d+ min\.$/,
        ],
        [bounced, /^Bounced: the mailbox does not exist\.$/],
        [invalid, /^Failed: the number is not valid, or cannot receive SMS\.$/],
      ]
      await site.visit({}, async (page) => {
        for (const [id, sentence] of sentences) {
          await page.goto(`${site.gateway.url}/console/messages/${id}`)
          await page.locator('.message-outcome-text').getByText(sentence).waitFor()
        }
      })
    })

    test('explains the error and says what to do', () =>
      site.visit({ path: `/messages/${scene.dead}` }, async (page) => {
        const { error } = await show(site.gateway, scene.dead)
        assert.ok(error !== null)
        const card = page.locator('.message-error')
        for (const text of ['SERVICE_UNAVAILABLE', error.meaning, error.advice]) await card.getByText(text).waitFor()
      }))

    test('shows both state machines, every event with its data, and the routing; remembers what is folded', () =>
      site.visit({ path: `/messages/${scene.dead}` }, async (page) => {
        await status(page, 'failed').waitFor()
        const picture = page.getByRole('img', { name: T.machines.picture(T.machines.handoff, 'failed') })
        assert.equal(await picture.isVisible(), false)
        await page.getByRole('heading', { name: T.machines.title }).click()
        await picture.waitFor()
        await page.reload()
        await page.getByRole('img', { name: T.machines.picture(T.machines.handoff, 'failed') }).waitFor()
        await event(page, T.events.DeadLettered).click()
        await page.locator('ol.events pre', { hasText: '"DeadLettered"' }).waitFor()
        const { events } = await show(site.gateway, scene.dead)
        assert.equal(await page.locator('ol.events > li').count(), events.length)
        await page.getByRole('link', { name: T.decisions.resolve }).waitFor()
      }))

    test('shows the passed states, and endpoints without a matching event', async () => {
      const { call } = site.gateway
      const failures = { id: 'failures', url: 'http://127.0.0.1:9/failures', events: ['message.failed'] }
      assert.equal((await call('POST', '/v1/endpoints', failures)).status, 201)
      const id = await send(site.gateway)
      await untilStatus(site.gateway, id, 'delivered')
      await site.visit({ path: `/messages/${id}` }, async (page) => {
        const { step, passed } = T.machines
        for (const state of ['queued', 'sending'])
          await page.getByText(step(state, passed)).waitFor({ state: 'attached' })
        await page
          .locator('.webhook-deliveries li', { hasText: failures.url })
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
        await page.getByText(toPattern(T.outcome.held('…'))).waitFor()
        await event(page, toPattern(T.events.overdue('…'))).waitFor()
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
        await until('the second cycle to fail', async () => (await show(site.gateway, dead)).status === 'failed')
        // The newest cycle is open, the one before is kept and closed.
        await event(page, T.events.ResendRequested.resend).waitFor()
        const first = event(page, T.events.MessageCreated)
        assert.equal(await first.isVisible(), false)
        await page.locator('.cycle > summary', { hasText: T.cycle(1) }).click()
        await first.waitFor()
      })
    })

    test('delivers the webhooks of the message again, to one endpoint and to all', async () => {
      const { call } = site.gateway
      const url = 'http://127.0.0.1:9/again'
      assert.equal((await call('POST', '/v1/endpoints', { id: 'again', url })).status, 201)
      const id = await send(site.gateway)
      await untilStatus(site.gateway, id, 'delivered')
      await site.visit({ path: `/messages/${id}` }, async (page) => {
        const row = page.locator('.webhook-deliveries li', { hasText: url })
        const replay = async (act: () => Promise<void>): Promise<unknown> => {
          const [response] = await Promise.all([page.waitForResponse('**/v1/endpoints/again/replay'), act()])
          return await response.json()
        }
        await row.getByText(/failed attempt/).waitFor()
        assert.deepEqual(
          await replay(() => row.getByRole('button', { name: T.webhookDeliveries.againTo(url) }).click()),
          {
            replayed: 1,
          },
        )
        await page.getByText(T.webhookDeliveries.delivering).first().waitFor()
        assert.deepEqual(await replay(() => chooseAction(page, T.actions.deliver)), { replayed: 1 })
      })
      await call('DELETE', '/v1/endpoints/again')
    })

    test('leads to the messages with the same tag, metadata or provider, and to the neighbours in the list', () =>
      site.visit({}, async (page) => {
        await page.locator('tr.message-row').first().waitFor()
        await page.locator(`tr[id="message-${scene.delivered}"] a.message-link`).click()
        const neighbour = page
          .getByRole('link', { name: T.next })
          .or(page.getByRole('link', { name: T.previous }))
          .first()
        const there = await neighbour.getAttribute('href')
        await neighbour.click()
        await page.waitForURL(`**${there}`)
        await page.goBack()
        const side = page.getByRole('complementary', { name: T.details.title })
        for (const [name, search] of [
          ['order', 'tag=order'],
          ['A-1042', 'metadata=order%3AA-1042'],
          ['simulator', 'provider=simulator'],
        ] as const)
          assert.ok(
            (await side.getByRole('link', { name, exact: true }).getAttribute('href'))?.endsWith(`/messages?${search}`),
          )
      }))

    test('resolves an unknown outcome', () =>
      site.visit({ path: `/messages/${scene.unknown}` }, async (page) => {
        await page.getByText(toPattern(T.outcome.unknownUntil('mute', '…'))).waitFor()
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
        await chooseAction(page, T.actions.erase)
        const sure = dialog(page, T.actions.eraseTitle)
        const erase = sure.getByRole('button', { name: T.actions.eraseAction })
        assert.ok(await erase.isDisabled())
        await page.keyboard.press('Escape')
        await sure.waitFor({ state: 'detached' })
        assert.equal((await show(site.gateway, id)).erased, false)
        await chooseAction(page, T.actions.erase)
        await sure.getByLabel(T.actions.eraseCheck).check()
        await erase.click()
        await page.getByText(T.notes.erased).waitFor()
        await page.getByRole('heading', { name: TEXTS.common.erasedRecipient }).waitFor()
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

    test('says which scope is missing', async () => {
      const token = await site.tokenFor(['messages:write'])
      await site.visit({ path: `/messages/${scene.delivered}`, token, expected: /status of 403/ }, async (page) => {
        await page.getByText(T.forbidden).waitFor()
      })
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
