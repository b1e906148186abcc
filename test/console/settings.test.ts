import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openCustomer } from '../support/customer.ts'
import { send } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { choose, describeConsole } from './console.fixture.ts'
import { SCENE_CONFIG } from './scene.ts'
import { TEXTS } from './texts.ts'

const C = TEXTS.common
const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true })
const dialog = (page: Page): Locator => page.getByRole('dialog')

describeConsole(
  'settings pages',
  (site) => {
    test('routes: add, preview, remove', async () => {
      const T = TEXTS.routes
      await site.visit({ path: '/routes' }, async (page) => {
        await button(page, T.add).click()
        await dialog(page).getByLabel(T.form.id).fill('brazil')
        await dialog(page).getByLabel(T.form.prefix).fill('+55')
        await button(dialog(page), '+ spare').click()
        await button(dialog(page), C.save).click()
        await page.getByText(T.form.saved('brazil')).waitFor()
        await page.getByLabel(T.resolve.to, { exact: true }).fill('+5511987654321')
        await button(page, T.resolve.action).click()
        await page.getByText(T.decision.taken('brazil', 'spare')).waitFor()
        assert.equal(new URL(page.url()).searchParams.get('to'), '+5511987654321')
        await button(page, T.removeOne('brazil')).click()
        await button(dialog(page), C.remove).click()
        await page.getByText(T.decision.taken('sms', 'simulator')).waitFor()
      })
    })

    test('limits: add, reach, remove', async () => {
      const T = TEXTS.limits
      await site.visit({ path: '/limits' }, async (page) => {
        await button(page, T.add).click()
        await choose(dialog(page), T.key.scope, T.key.scopes.account)
        await dialog(page).getByLabel(T.key.names.account, { exact: true }).fill('default')
        await dialog(page).getByLabel(T.form.most).fill('1')
        await button(dialog(page), C.save).click()
        await page.getByText(T.form.saved).waitFor()
        await send(site.gateway)
        await page.getByText(T.full, { exact: true }).waitFor()
        await button(page, T.removeOne(T.one.account('default'))).click()
        await button(dialog(page), C.remove).click()
        await page.getByText(T.nothing).waitFor()
        await send(site.gateway)
      })
    })

    test('templates: preview, save, save a second version', async () => {
      const T = TEXTS.templates
      await site.visit({ path: '/templates?new=sms', expected: /status of 400/ }, async (page) => {
        await page.getByLabel(T.name, { exact: true }).fill('shipped')
        await page.getByLabel(T.fields.text, { exact: true }).fill('Hello {{ name }}, it left.')
        await page.getByLabel(T.data, { exact: true }).fill('{ "name": "Zoë" }')
        await page.locator('.bubble', { hasText: 'Hello Zoë, it left.' }).waitFor()
        await page.getByText('UCS-2').first().waitFor()
        await button(page, T.save(1)).click()
        await page.getByText(T.saved('shipped', 1)).waitFor()
        await page.getByLabel(T.fields.text, { exact: true }).fill('Hello {{ name }}, it left today.')
        await page.keyboard.press('Control+s')
        await page.getByText(T.saved('shipped', 2)).waitFor()
        const { body } = await site.gateway.call<{ items: readonly { version: number }[] }>('GET', '/v1/templates')
        assert.deepEqual(
          body.items.map(({ version }) => version),
          [2],
        )
      })
    })

    test('templates: what changed between versions, and all locales side by side', async () => {
      const T = TEXTS.templates
      const html = '<p>Hello {{ name }}</p>'
      for (const template of [
        { locale: 'en', subject: 'Welcome', text: 'Hello {{ name }}', html },
        { locale: 'en', subject: 'Welcome!', text: 'Hello {{ name }}', html },
        { locale: 'pt', subject: 'Boas-vindas', text: 'Olá {{ name }}', html: '<p>Olá {{ name }}</p>' },
      ]) {
        const body = { name: 'welcome', channel: 'email', ...template }
        assert.equal((await site.gateway.call('POST', '/v1/templates', body)).status, 201)
      }
      await site.visit({ path: '/templates?name=welcome&locale=en' }, async (page) => {
        await button(page, T.changes.of(2)).click()
        const changes = dialog(page).getByRole('region', { name: T.changes.lines })
        const rows = await changes.getByRole('row').allInnerTexts()
        assert.deepEqual(
          rows.map((row) => row.trim().split(/\s+/)),
          [
            ['1', T.changes.kinds.removed, '−', 'Welcome'],
            ['1', T.changes.kinds.added, '+', 'Welcome!'],
          ],
        )
        await choose(dialog(page), T.changes.after, T.version(1))
        await dialog(page).getByText(T.changes.none).waitFor()
        await button(dialog(page), C.close).click()
        await page.getByRole('link', { name: T.allLocales }).click()
        for (const [subject, hello] of [
          ['Welcome!', 'Hello Ana'],
          ['Boas-vindas', 'Olá Ana'],
        ])
          await page.frameLocator(`[title="${subject}"]`).getByText(`${hello}`, { exact: true }).waitFor()
        const device = page.getByRole('radiogroup', { name: TEXTS.mailView.device }).first()
        await device.getByText(TEXTS.mailView.devices.phone).click({ force: true })
        assert.equal((await page.locator('.mail-frame').first().boundingBox())?.width, 375)
        await page.getByRole('link', { name: T.edit }).click()
        await page.getByRole('link', { name: T.sendTest }).click()
        await page.getByRole('button', { name: 'welcome (en)' }).waitFor()
        assert.equal(await page.getByLabel('name', { exact: true }).inputValue(), 'Ana')
      })
    })

    test('recipients: reject an invalid one, add, find, remove', async () => {
      const T = TEXTS.recipients
      await site.visit({ path: '/recipients', expected: /status of 400/ }, async (page) => {
        await button(page, T.add).click()
        await dialog(page).getByLabel(T.fields.name).fill('Ana Souza')
        await dialog(page).getByLabel(T.fields.phone).fill('12')
        await button(dialog(page), C.add).click()
        await dialog(page).locator('label.field', { hasText: T.fields.phone }).locator('.problem').waitFor()
        await dialog(page).getByLabel(T.fields.phone).fill('+15005550123')
        await button(dialog(page), C.add).click()
        await page.getByText(T.added('Ana Souza')).waitFor()
        await page.getByRole('searchbox').fill('nobody')
        await page.getByText(T.noneFound).waitFor()
        await page.getByRole('searchbox').fill('ana')
        await button(page, T.removeWho('Ana Souza')).click()
        await button(dialog(page), C.remove).click()
        await page.getByText(T.removed('Ana Souza')).waitFor()
      })
    })

    test('suppressions: validate and import a list, remove one', async () => {
      const T = TEXTS.suppressions
      await site.visit({ path: '/suppressions' }, async (page) => {
        await button(page, T.import).click()
        await dialog(page)
          .getByLabel(T.list)
          .fill(`one@mail.example\n${'nonsense'.repeat(99)}\ntwo@mail.example\none@mail.example, by phone`)
        await dialog(page).getByText(T.wrong(1)).waitFor()
        assert.equal(await dialog(page).locator('.wrong-lines code').innerText(), `${'nonsense'.repeat(10)}…`)
        await button(dialog(page), T.dropWrong).click()
        await button(dialog(page), T.importAction(2)).click()
        await page.getByText(T.imported(2)).waitFor()
        await page.getByText('by phone').waitFor()
        await button(page, T.remove('one@mail.example')).click()
        await button(dialog(page), C.remove).click()
        await page.getByText(T.removed('one@mail.example')).waitFor()
      })
    })

    test('webhooks: add an endpoint, reveal its secret, deliver, replay', async () => {
      const T = TEXTS.webhooks
      await using customer = await openCustomer()
      const hook = customer.hook()
      await site.visit({ path: '/webhooks' }, async (page) => {
        await button(page, T.add).click()
        await dialog(page).getByLabel(T.fields.url).fill(hook.url)
        await dialog(page).getByLabel(T.fields.id, { exact: true }).fill('orders')
        await button(dialog(page), C.add).click()
        await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor()
        assert.equal(await page.getByText(/whsec_[\w+/]/).count(), 0)
        await button(page, T.reveal).click()
        await page.getByText(/whsec_[\w+/]/).waitFor()
        await button(page, T.hide).click()
        await page.getByText(/whsec_[\w+/]/).waitFor({ state: 'detached' })
        const id = await send(site.gateway)
        await until('the webhook delivery', () => hook.received().some(({ type }) => type === 'message.delivered'))
        const times = hook.received().length
        await button(page, T.replayOf(id)).click()
        await until('the replayed webhook', () => hook.received().length > times)
      })
    })

    test('webhooks: send a test event, and see what an attempt sent and got', async () => {
      const T = TEXTS.webhooks
      await using customer = await openCustomer()
      const hook = customer.hook()
      const endpoint = { id: 'inspected', url: hook.url, events: ['message.delivered'] }
      assert.equal((await site.gateway.call('POST', '/v1/endpoints', endpoint)).status, 201)
      await site.visit({ path: '/webhooks?endpoint=inspected' }, async (page) => {
        await button(page, T.test.open).click()
        await button(dialog(page), T.test.action).click()
        await dialog(page).getByText(T.attempts.status(204)).waitFor()
        assert.equal(hook.received()[0]?.type, 'message.delivered')
        await dialog(page).getByRole('tab', { name: T.attempts.request }).click()
        await dialog(page).getByText('webhook-signature').waitFor()
        assert.equal(
          await dialog(page)
            .getByText(/v1,[\w+/]/)
            .count(),
          0,
        )
        await button(dialog(page), C.cancel).click()
        const id = await send(site.gateway)
        await button(page, T.attemptsOf(id)).click()
        await dialog(page)
          .getByRole('button', { name: /^Inspect message.delivered/ })
          .click()
        await dialog(page).last().getByRole('tab', { name: T.attempts.request }).click()
        await dialog(page).last().locator('pre', { hasText: id }).waitFor()
      })
    })

    test('webhooks: messages without a matching event are counted, and shown on request', async () => {
      const T = TEXTS.webhooks
      const failures = { id: 'failures', url: 'http://127.0.0.1:9/hooks', events: ['message.failed'] }
      assert.equal((await site.gateway.call('POST', '/v1/endpoints', failures)).status, 201)
      const id = await send(site.gateway)
      await site.visit({ path: '/webhooks?endpoint=failures' }, async (page) => {
        await page.getByText(T.skipped(1)).waitFor()
        assert.equal(await page.getByRole('link', { name: id.slice(0, 8) }).count(), 0)
        await button(page, T.showSkipped).click()
        await page.getByRole('row', { name: id }).getByText(T.states.skipped).waitFor()
      })
    })
  },
  { ...SCENE_CONFIG, env: { ...SCENE_CONFIG.env, POMBO_WEBHOOK_NETWORKS: '127.0.0.0/8' } },
)
