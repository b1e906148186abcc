import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { openFakeTwilio, TWILIO } from '../support/fake-twilio.ts'
import { inboxOf } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { axeFindings, COLOURS } from './axe.ts'
import { choose, describeConsole, PHONE } from './console.fixture.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.send
type Mail = Readonly<{ attachments: readonly Readonly<{ filename: string; size: number }>[] }>
const PATH = { path: '/send' }

const sent = (page: Page): Locator => page.locator('.sent-all > li').first()
const submit = (page: Page): Promise<void> => page.getByRole('button', { name: T.action, exact: true }).click()
const kind = (page: Page, name: string): Promise<void> => page.getByRole('tab', { name }).click()
const field = (page: Page, name: string): Locator => page.getByLabel(name, { exact: true })
/** The error below a field is part of its label. */
const faulty = (page: Page, name: string): Locator => page.locator('label.field', { hasText: name }).first()
const message = (page: Page): Locator => page.getByRole('textbox', { name: T.message, exact: true })

describeConsole('sending through a simulator', (site) => {
  test('sends an SMS at once, says that it is simulated, and follows it to its end', () =>
    site.visit(PATH, async (page) => {
      await field(page, T.to).fill('+1 (500) 555-0777')
      await message(page).fill('Olá €“x”')
      await page.getByText(T.route.simulated('simulator')).waitFor()
      const length = page.getByRole('region', { name: T.segments.name })
      await length.getByText(TEXTS.common.encodings.ucs2, { exact: true }).waitFor()
      assert.deepEqual(await length.locator('mark').allInnerTexts(), ['á', '“', '”'])
      await submit(page)
      await sent(page).getByText('delivered').first().waitFor()
      assert.equal(await page.getByRole('dialog').count(), 0)
      assert.deepEqual(
        (await inboxOf(site.gateway, '+15005550777')).map(({ body }) => body),
        ['Olá €“x”'],
      )
      await sent(page).getByRole('link').click()
      await page.getByRole('heading', { level: 1, name: '+1 ••• 0777' }).waitFor()
    }))

  test('sends with options, and a repeated key returns the first response', () =>
    site.visit(PATH, async (page) => {
      await field(page, T.to).fill('+15005550779')
      await message(page).fill('Hi')
      await page.getByText(T.options).click()
      await field(page, T.tags).fill('order, urgent')
      await field(page, T.metadata).fill('order=A-1')
      await field(page, T.key).fill('own-key')
      await submit(page)
      await sent(page).getByText('delivered').first().waitFor()
      await submit(page)
      await sent(page).getByText(T.sent.replayed).waitFor()
      const [received, ...others] = await inboxOf(site.gateway, '+15005550779')
      assert.deepEqual(others, [])
      const { body } = await site.gateway.call<MessageDetails>('GET', `/v1/messages/${received?.message_id}`)
      assert.deepEqual([body.tags, body.metadata], [['order', 'urgent'], { order: 'A-1' }])
    }))

  test('each message without a key of its own is a new one', () =>
    site.visit(PATH, async (page) => {
      await field(page, T.to).fill('+15005550781')
      await message(page).fill('Twice')
      await submit(page)
      await page.locator('.sent-all > li').nth(0).waitFor()
      await submit(page)
      await page.locator('.sent-all > li').nth(1).waitFor()
      await until('both', async () => (await inboxOf(site.gateway, '+15005550781')).length === 2)
    }))

  test('sends a template with the values of its fields, which start as samples', async () => {
    const text = 'Hello {{ name }}, your parcel {{ number }} is on its way.'
    await site.gateway.call('POST', '/v1/templates', { name: 'shipped', channel: 'sms', text })
    await site.visit({ ...PATH, expected: /status of 400/ }, async (page) => {
      await field(page, T.to).fill('+15005550782')
      await choose(page, T.content, 'shipped')
      assert.notEqual(await field(page, 'name').inputValue(), '')
      await field(page, 'name').fill('')
      await field(page, 'number').fill('4711')
      await page.getByText(T.preview.missing).waitFor()
      await submit(page)
      await faulty(page, 'name').locator('.problem').waitFor()
      await faulty(page, 'name').locator('input').fill('Ana')
      await page.locator('.send-bubble').getByText('Hello Ana, your parcel 4711 is on its way.').waitFor()
      await submit(page)
      await sent(page).getByText('delivered').first().waitFor()
      assert.equal((await inboxOf(site.gateway, '+15005550782'))[0]?.body, 'Hello Ana, your parcel 4711 is on its way.')
    })
  })

  test('sends an email with an attachment, previewed in two widths', () =>
    site.visit(PATH, async (page) => {
      await kind(page, T.kinds.email)
      await field(page, T.to).fill('ada@sim.pombo.test')
      await field(page, T.subject).fill('Your invoice')
      await field(page, T.html).fill('<p>It is <b>attached</b>.</p>')
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: TEXTS.common.files.chooseMany }).click(),
      ])
      await chooser.setFiles({ name: 'invoice.txt', mimeType: 'text/plain', buffer: Buffer.from('total') })
      await page.frameLocator('iframe.mail-frame').getByText('attached').waitFor()
      await page.getByTitle(TEXTS.mailView.devices.phone).click()
      assert.ok(((await page.locator('iframe.mail-frame').boundingBox())?.width ?? 999) <= 375)
      await submit(page)
      await sent(page).getByText('delivered').first().waitFor()
      const [mail] = await inboxOf(site.gateway, 'ada@sim.pombo.test')
      const { body } = await site.gateway.call<Mail>('GET', `/v1/simulator/mails/${mail?.attempt_id}`)
      assert.deepEqual(
        body.attachments.map(({ filename, size }) => [filename, size]),
        [['invoice.txt', 5]],
      )
    }))

  test('sends a one-time code that can be verified once', () =>
    site.visit(PATH, async (page) => {
      await kind(page, T.kinds.otp)
      await field(page, T.to).fill('+15005550780')
      await submit(page)
      await sent(page).getByText('delivered').first().waitFor()
      const [{ body = '' } = {}] = await inboxOf(site.gateway, '+15005550780')
      await sent(page)
        .getByLabel(TEXTS.checkCode.code)
        .fill(/\d{6}/.exec(body)?.[0] ?? '')
      await sent(page).getByRole('button', { name: TEXTS.checkCode.check }).click()
      await sent(page).getByText(TEXTS.checkCode.results.verified, { exact: true }).waitFor()
    }))

  test('shows errors next to their fields, and unfolds the options for theirs', () =>
    site.visit({ ...PATH, expected: /status of 400/ }, async (page) => {
      await field(page, T.to).fill('12')
      await submit(page)
      await faulty(page, T.to).locator('.problem').waitFor()
      await faulty(page, T.to).locator('input').fill('+15005550783')
      await page.getByText(T.options).click()
      await field(page, T.metadata)
        .or(page.getByRole('textbox', { name: T.metadata }))
        .first()
        .fill('nonsense')
      await page.getByText(T.options).click()
      await submit(page)
      await faulty(page, T.metadata).getByText(T.metadataBad('nonsense')).waitFor()
    }))

  test('selects the first kind that the token can send, and disables the others', async () => {
    const token = await site.tokenFor(['email:send', 'messages:read'])
    await site.visit({ ...PATH, token }, async (page) => {
      await field(page, T.subject).waitFor()
      assert.ok(await page.getByRole('button', { name: T.action, exact: true }).isEnabled())
      await kind(page, T.kinds.sms)
      await page.getByText(T.notAllowed('sms:send')).waitFor()
      assert.ok(await page.getByRole('button', { name: T.action, exact: true }).isDisabled())
    })
  })

  test('works by keyboard alone', () =>
    site.visit(PATH, async (page) => {
      await page.getByRole('tab', { name: T.kinds.sms }).focus()
      await page.keyboard.press('ArrowRight')
      await field(page, T.subject).waitFor()
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('Tab')
      await page.keyboard.type('+15005550784')
      await message(page).focus()
      await page.keyboard.type('By keys')
      await page.keyboard.press('Control+Enter')
      await sent(page).getByText('delivered').first().waitFor()
    }))
})

const twilio = await openFakeTwilio()
after(() => twilio[Symbol.asyncDispose]())
const settings = { ...TWILIO, from: '+15005550006', base_url: twilio.url, callbacks: false }

describeConsole(
  'sending through a real provider',
  (site) => {
    const fill = async (page: Page, to: string): Promise<void> => {
      await field(page, T.to).fill(to)
      await message(page).fill('x'.repeat(161))
    }

    test('asks first and says through whom; nothing is sent when cancelled', () =>
      site.visit(PATH, async (page) => {
        const before = twilio.messages.length
        await fill(page, '+15005550100')
        await page.getByText(T.route.real('twilio')).waitFor()
        await submit(page)
        const dialog = page.getByRole('dialog', { name: T.confirm.titles.sms })
        await dialog.getByText('This sends a real SMS through twilio to +1 ••• 0100 in 2 parts.').waitFor()
        await dialog.getByRole('button', { name: TEXTS.common.cancel }).click()
        await dialog.waitFor({ state: 'detached' })
        await page.getByText(T.sent.none).waitFor()
        assert.equal(twilio.messages.length, before)
        await submit(page)
        await dialog.getByRole('button', { name: T.confirm.action.sms }).click()
        await sent(page).getByText('sent').first().waitFor()
        assert.deepEqual(
          twilio.messages.slice(before).map(({ form }) => form.get('To')),
          ['+15005550100'],
        )
      }))

    test('asks where a simulator may fall back to a real provider', () =>
      site.visit(PATH, async (page) => {
        await fill(page, '+15005550101')
        await field(page, T.sender).fill('Mixed')
        await submit(page)
        const dialog = page.getByRole('dialog', { name: T.confirm.titles.sms })
        await dialog.getByText(T.confirm.mayUse).waitFor()
        assert.deepEqual(await dialog.locator('li strong').allInnerTexts(), ['simulator', 'twilio'])
        await dialog.getByRole('button', { name: TEXTS.common.cancel }).click()
      }))

    test('asks whoever may not see routes', async () => {
      const token = await site.tokenFor(['sms:send'])
      await site.visit({ ...PATH, token, expected: /status of 403/ }, async (page) => {
        await fill(page, '+15005550102')
        await submit(page)
        const dialog = page.getByRole('dialog', { name: T.confirm.titles.sms })
        await dialog.getByText(T.confirm.unknown).waitFor()
      })
    })

    test('sends at once in test mode', async () => {
      const token = await site.tokenFor(['messages:read', 'sms:send', 'content:read'], { test: true })
      await site.visit({ ...PATH, token }, async (page) => {
        const before = twilio.messages.length
        await fill(page, '+15005550103')
        await page.getByText(T.route.test).waitFor()
        await submit(page)
        await sent(page).getByText('delivered').first().waitFor()
        assert.equal(twilio.messages.length, before)
      })
    })

    test('says why, where no route takes the message', () =>
      site.visit(PATH, async (page) => {
        await kind(page, T.kinds.email)
        await field(page, T.to).fill('ana@example.com')
        await field(page, T.subject).fill('Hi')
        await field(page, T.html).fill('<p>Hi</p>')
        await submit(page)
        const refusal = page.getByRole('alert')
        await refusal.getByText(T.route.none).waitFor()
        await refusal.getByText(/sms: for another channel/).waitFor()
        await page.getByText(T.sent.none).waitFor()
      }))

    test('has an accessible confirmation in light and dark mode and on a phone', () =>
      site.visit({ ...PATH, bypassCSP: true, colorScheme: 'light' }, async (page) => {
        await fill(page, '+15005550104')
        await submit(page)
        await page.getByRole('dialog').waitFor()
        assert.deepEqual(await axeFindings(page), [])
        await page.emulateMedia({ colorScheme: 'dark' })
        assert.deepEqual(await axeFindings(page, COLOURS), [])
        await page.setViewportSize(PHONE)
        assert.deepEqual(await axeFindings(page), [])
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.width)
      }))
  },
  {
    config: {
      providers: [
        { name: 'twilio', kind: 'twilio', settings },
        { name: 'simulator', kind: 'simulator' },
      ],
      routes: [
        { id: 'sms', channel: 'sms', providers: ['twilio'] },
        { id: 'mixed', channel: 'sms', sender: 'Mixed', providers: ['simulator', 'twilio'] },
      ],
    },
  },
)
