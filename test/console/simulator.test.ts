import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sendMail } from '../support/email.ts'
import { openFakeHttp } from '../support/fake-http.ts'
import { openFakeTwilio, TWILIO } from '../support/fake-twilio.ts'
import { generate, someOtp } from '../support/otp.ts'
import { inboxOf, post, send, someSms, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { axeFindings } from './axe.ts'
import { describeConsole, PHONE, untilShown } from './console.fixture.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.simulator
const PATH = { path: '/simulator' }

const thread = (page: Page, to: string): Locator => page.getByRole('log', { name: T.phone.messages(to) })
const inMenu = (page: Page): Locator =>
  page.getByRole('navigation', { name: TEXTS.app.nav }).getByRole('link', { name: TEXTS.pages.simulator })

describeConsole('simulator page', (site) => {
  test('shows messages as they arrive', () =>
    site.visit({ path: '/simulator?thread=%2B15005550778' }, async (page) => {
      await page.getByText(T.phone.nothing('+15005550778')).waitFor()
      await post(site.gateway, someSms({ to: '+15005550778', message: 'From elsewhere' }))
      await thread(page, '+15005550778').getByText('From elsewhere').waitFor()
      await inMenu(page).waitFor()
    }))

  test('a long thread scrolls inside the phone, to its newest message', async () => {
    const to = '+15005550779'
    for (let n = 0; n < 12; n += 1) await send(site.gateway, { to, message: `Message ${n} ${'long '.repeat(12)}` })
    await until('all of them', async () => (await inboxOf(site.gateway, to)).length === 12)
    await site.visit({ path: `/simulator?thread=${encodeURIComponent(to)}` }, async (page) => {
      const log = thread(page, to)
      await log.getByText('Message 11').waitFor()
      const places = `[scrollHeight - clientHeight, scrollHeight - clientHeight - scrollTop]`
      const read = `(() => { const { scrollHeight, clientHeight, scrollTop } = document.querySelector('[role=log]')
        return ${places} })()`
      await until('the end of a long thread', async () => {
        const [hidden = 0, below = 0] = await page.evaluate<readonly number[]>(read)
        return hidden > 100 && below < 2
      })
    })
  })

  test('checks a code on the phone, which is right once', async () => {
    const to = '+15005550780'
    await generate(site.gateway, someOtp({ to }))
    await until('the code', async () => (await inboxOf(site.gateway, to)).length === 1)
    await site.visit({ path: `/simulator?thread=${encodeURIComponent(to)}` }, async (page) => {
      await thread(page, to).getByText(T.phone.check).click()
      const verify = thread(page, to).getByRole('button', { name: TEXTS.checkCode.check })
      await verify.click()
      await page.getByText(TEXTS.checkCode.results.verified, { exact: true }).waitFor()
      await verify.click()
      await page.getByText(TEXTS.checkCode.results.already_verified).waitFor()
    })
  })

  test('a magic recipient leads to the form, filled in', () =>
    site.visit(PATH, async (page) => {
      await page.getByRole('link', { name: T.magic.sendTo('+15005550001') }).click()
      await page.getByRole('heading', { level: 1, name: TEXTS.pages.send }).waitFor()
      assert.equal(await page.getByLabel(TEXTS.send.to, { exact: true }).inputValue(), '+15005550001')
      assert.notEqual(await page.getByRole('textbox', { name: TEXTS.send.message }).inputValue(), '')
    }))

  test('an old link to send leads to the page that sends', () =>
    site.visit({ path: '/simulator?to=ada%40sim.pombo.test&kind=email' }, async (page) => {
      await page.waitForURL('**/send?*')
      assert.equal(await page.getByLabel(TEXTS.send.to, { exact: true }).inputValue(), 'ada@sim.pombo.test')
    }))

  test('shows what arrives only to those who may open content', async () => {
    const token = await site.tokenFor(['messages:read'])
    await site.visit({ ...PATH, token }, async (page) => {
      await page.getByText(T.notAllowed).waitFor()
      assert.equal(await page.getByRole('heading', { name: T.devices.phone }).count(), 0)
      assert.equal(await inMenu(page).count(), 0)
    })
    const support = await site.tokenFor(['messages:read', 'content:read'])
    const tester = await site.tokenFor(['messages:read'], { test: true })
    for (const other of [support, tester]) {
      await site.visit({ ...PATH, token: other }, async (page) => {
        await page.getByRole('heading', { name: T.devices.phone, exact: true }).waitFor()
        await inMenu(page).waitFor()
      })
    }
  })

  test('shows an email with its attachments and its source', async () => {
    const content = Buffer.from('total').toString('base64')
    const attachments = [{ filename: 'invoice.txt', content_type: 'text/plain', content }]
    const id = await sendMail(site.gateway, { to: 'ada@sim.pombo.test', subject: 'Your invoice', attachments })
    await untilStatus(site.gateway, id, 'delivered')
    await site.visit({ path: '/simulator?device=mailbox' }, async (page) => {
      const mail = page.getByRole('region', { name: 'Your invoice' })
      await mail.getByRole('heading', { name: 'Your invoice' }).waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        mail.getByRole('button', { name: 'invoice.txt' }).click(),
      ])
      assert.equal(download.suggestedFilename(), 'invoice.txt')
      await mail.getByText(T.mailbox.source).click()
      await mail.getByText('Subject: Your invoice').waitFor()
    })
  })

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

const twilio = await openFakeTwilio()
after(() => twilio[Symbol.asyncDispose]())
const settings = { ...TWILIO, from: '+15005550006', base_url: twilio.url, callbacks: false }

describeConsole(
  'a console without a simulator',
  (site) => {
    test('has no page for it in the menu, and its address explains why', () =>
      site.visit({ ...PATH, bypassCSP: true }, async (page) => {
        await page.getByText(T.absent).waitFor()
        assert.equal(await inMenu(page).count(), 0)
        assert.equal(await page.getByRole('heading', { name: T.magic.title }).count(), 0)
        await untilShown(page)
        assert.deepEqual(await axeFindings(page), [])
        await page.setViewportSize(PHONE)
        assert.deepEqual(await axeFindings(page), [])
        await page.getByRole('link', { name: T.send }).click()
        await page.getByRole('heading', { level: 1, name: TEXTS.pages.send }).waitFor()
      }))
  },
  {
    config: {
      providers: [{ name: 'twilio', kind: 'twilio', settings }],
      routes: [{ id: 'sms', channel: 'sms', providers: ['twilio'] }],
    },
  },
)
