import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { TEXTS } from '../../console/src/texts.ts'
import { sendMail } from '../support/email.ts'
import { openFakeHttp } from '../support/fake-http.ts'
import { inboxOf, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { describeConsole } from './console.fixture.ts'

const T = TEXTS.simulator
const PATH = { path: '/simulator' }

const sent = (page: Page): Locator => page.locator('.sent-all > li').first()
const submit = (page: Page): Promise<void> => page.locator('form').getByRole('button', { name: T.send.action }).click()
const thread = (page: Page, to: string): Locator => page.getByRole('log', { name: T.phone.messages(to) })
const kind = (page: Page, name: string): Promise<void> => page.getByRole('radio', { name }).check({ force: true })

describeConsole('simulator page', (site) => {
  test('sends an SMS, follows it live, and shows it on the phone once', () =>
    site.visit(PATH, async (page) => {
      await page.getByLabel(T.send.to, { exact: true }).fill('+15005550777')
      await page.getByRole('textbox', { name: T.send.message, exact: true }).fill('Hello from the simulator.')
      await page.evaluate('window.wasNotReloaded = true')
      await submit(page)
      await sent(page).getByText('delivered').first().waitFor()
      await thread(page, '+15005550777').getByText('Hello from the simulator.').waitFor()
      assert.equal(await page.evaluate('window.wasNotReloaded'), true)
      assert.equal((await inboxOf(site.gateway, '+15005550777')).length, 1)
      await sent(page).getByRole('link').click()
      await page.getByRole('heading', { level: 1, name: '+*******0777' }).waitFor()
    }))

  test('shows messages sent by others as they arrive', () =>
    site.visit({ path: '/simulator?thread=%2B15005550778' }, async (page) => {
      await page.getByText(T.phone.nothing('+15005550778')).waitFor()
      await site.gateway.call('POST', '/v1/sms/send', {
        to: '+15005550778',
        message: 'From elsewhere',
        idempotency_key: 'from-elsewhere',
      })
      await thread(page, '+15005550778').getByText('From elsewhere').waitFor()
    }))

  test('sends to a magic recipient with one click', () =>
    site.visit(PATH, async (page) => {
      await page.getByRole('button', { name: T.magic.sendTo('invalid') }).click()
      await sent(page).getByText('failed').first().waitFor()
      await sent(page).getByText('INVALID').first().waitFor()
    }))

  test('reports that a repeated key returned the first response', () =>
    site.visit(PATH, async (page) => {
      await page.getByLabel(T.send.to, { exact: true }).fill('+15005550779')
      await page.getByLabel(T.send.keepKey).check()
      await submit(page)
      await sent(page).getByText('delivered').first().waitFor()
      await submit(page)
      await sent(page).getByText(T.sent.replayed).waitFor()
      assert.equal((await inboxOf(site.gateway, '+15005550779')).length, 1)
    }))

  test('selects the first message type that the token can send', async () => {
    const token = await site.tokenFor(['email:send', 'messages:read'])
    await site.visit({ ...PATH, token, expected: /status of 403/ }, async (page) => {
      await page.getByLabel(T.send.subject).waitFor()
      assert.ok(await page.getByRole('radio', { name: T.send.kinds.email }).isChecked())
      assert.ok(await page.locator('form').getByRole('button', { name: T.send.action }).isEnabled())
    })
  })

  test('shows what arrives only to those who may open content', async () => {
    const token = await site.tokenFor(['messages:read'])
    await site.visit({ ...PATH, token }, async (page) => {
      await page.getByText(T.notAllowed).waitFor()
      await page.getByText(T.sent.none).waitFor()
      assert.equal(await page.getByRole('heading', { name: T.devices.phone }).count(), 0)
    })
    const support = await site.tokenFor(['messages:read', 'content:read'])
    const tester = await site.tokenFor(['messages:read'], { test: true })
    for (const other of [support, tester]) {
      await site.visit({ ...PATH, token: other }, async (page) => {
        await page.getByRole('heading', { name: T.devices.phone }).waitFor()
      })
    }
  })

  test('shows an error next to its field', () =>
    site.visit({ ...PATH, expected: /status of 400/ }, async (page) => {
      await page.getByLabel(T.send.to, { exact: true }).fill('12')
      await submit(page)
      await page.locator('label.field', { hasText: T.send.to }).locator('.problem').first().waitFor()
    }))

  test('sends a one-time code that can be verified once', () =>
    site.visit(PATH, async (page) => {
      await kind(page, T.send.kinds.otp)
      await page.getByLabel(T.send.to, { exact: true }).fill('+15005550780')
      await submit(page)
      const code = await thread(page, '+15005550780').locator('.bubble-code').innerText()
      await sent(page).getByLabel(T.sent.code).fill(code)
      await sent(page).getByRole('button', { name: T.sent.check }).click()
      await sent(page).getByText(T.sent.results.verified, { exact: true }).waitFor()
      await sent(page).getByRole('button', { name: T.sent.check }).click()
      await sent(page).getByText(T.sent.results.already_verified).waitFor()
    }))

  test('sends an email with an attachment, and shows it in the mailbox', () =>
    site.visit(PATH, async (page) => {
      await kind(page, T.send.kinds.email)
      await page.getByLabel(T.send.to, { exact: true }).fill('ada@sim.pombo.test')
      await page.getByLabel(T.send.subject).fill('Your invoice')
      await page
        .getByLabel(T.send.files)
        .setInputFiles({ name: 'invoice.txt', mimeType: 'text/plain', buffer: Buffer.from('total') })
      await submit(page)
      await sent(page).getByText('delivered').first().waitFor()
      const mail = page.getByRole('region', { name: 'Your invoice' })
      await mail.waitFor()
      await page.frameLocator('iframe.mail-frame').getByText('On its way').waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        mail.getByRole('button', { name: 'invoice.txt' }).click(),
      ])
      assert.equal(download.suggestedFilename(), 'invoice.txt')
      await mail.getByText(T.mailbox.source).click()
      await mail.getByText('Subject: Your invoice').waitFor()
    }))

  test('shows an email with its styles, without remote images and with disabled links', async () => {
    await using elsewhere = await openFakeHttp(() => ({ status: 200, body: '' }))
    const html = `<p style="color: rgb(4, 5, 6)">Dear reader</p>
      <img src="${elsewhere.url}/track.gif" alt="a picture"><a href="${elsewhere.url}/">a link</a>`
    const id = await sendMail(site.gateway, { to: 'safe@sim.pombo.test', subject: 'With a picture', html })
    await untilStatus(site.gateway, id, 'delivered')
    await site.visit({ path: '/simulator?device=mailbox' }, async (page) => {
      await page.getByRole('region', { name: 'With a picture' }).getByText(TEXTS.mailView.blocked).waitFor()
      await page.frameLocator('iframe.mail-frame').getByText('a link').click()
      await until('its styles', async () => (await colourIn(page)) === 'rgb(4, 5, 6)')
      assert.deepEqual(elsewhere.requests, [])
    })
  })
})

const colourIn = (page: Page): Promise<string> =>
  page.evaluate<string>(
    `getComputedStyle(document.querySelector('iframe.mail-frame').contentDocument.querySelector('p')).color`,
  )
