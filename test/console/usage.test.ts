import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import { sendMail } from '../support/email.ts'
import { send, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { axeFindings } from './axe.ts'
import { choose, describeConsole, PHONE } from './console.fixture.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.usage

type Usage = Readonly<{ items: readonly Readonly<{ sent_messages: number }>[] }>

describeConsole('usage page', (site) => {
  before(async () => {
    const ids = await Promise.all([
      send(site.gateway, { to: '+351912345678' }),
      send(site.gateway, { to: '+5511987654321' }),
      sendMail(site.gateway, {}),
    ])
    for (const id of ids) await untilStatus(site.gateway, id, 'delivered')
    await until('usage to be counted', async () => {
      const { body } = await site.gateway.call<Usage>('GET', '/v1/usage?group_by=')
      return body.items[0]?.sent_messages === 3
    })
  })

  test('shows messages and segments by channel, country and provider, with totals', () =>
    site.visit({ path: '/usage' }, async (page) => {
      const row = (name: string) => page.locator('table.usage tr', { hasText: name })
      const cells = async (name: string) => (await row(name).locator('td').allInnerTexts()).slice(1)
      await row('SMS').waitFor()
      assert.deepEqual(await cells('SMS'), ['2', '2', '2', '2'])
      assert.deepEqual(await cells('Email'), ['1', '1', '1', '1'])
      assert.deepEqual(await cells(T.total), ['3', '3', '3', '3'])
      await choose(page, T.by, T.dimensions.country)
      await row('Portugal').waitFor()
      assert.deepEqual(await cells('Brazil'), ['1', '1', '1', '1'])
      assert.deepEqual(await cells(T.unknown.country), ['1', '1', '1', '1'])
      await choose(page, T.by, T.dimensions.provider)
      await row('simulator').waitFor()
      assert.deepEqual(await cells('simulator'), ['0', '0', '3', '3'])
      await page.getByRole('heading', { name: T.chartTitle(T.metrics.sent_messages, T.dimensions.provider) }).waitFor()
      await choose(page, T.by, T.dimensions.account)
      await row('default').waitFor()
    }))

  test('shows another period, and says when there was nothing in it', () =>
    site.visit({ path: '/usage' }, async (page) => {
      await page.locator('table.usage').waitFor()
      await choose(page, T.period, T.periods['last-month'])
      await page.getByText(T.none).waitFor()
      await choose(page, T.period, T.periods.custom)
      const picker = page.getByRole('group', { name: T.days })
      await picker.getByRole('spinbutton').first().waitFor()
      assert.equal(new URL(page.url()).searchParams.get('period'), 'custom')
    }))

  test('is accessible with a period of its own, also on a phone', () =>
    site.visit({ path: '/usage?period=custom', bypassCSP: true }, async (page) => {
      await page.getByRole('group', { name: T.days }).getByRole('spinbutton').first().waitFor()
      await page.getByRole('application').locator('canvas').waitFor()
      assert.deepEqual(await axeFindings(page), [])
      await page.setViewportSize(PHONE)
      const found = await axeFindings(page)
      assert.deepEqual(
        found.filter((finding) => /usage|time-|plot|chart|spinbutton/.test(finding)),
        [],
      )
      assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), PHONE.width)
    }))

  test('downloads every day and dimension as CSV', () =>
    site.visit({ path: '/usage' }, async (page) => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: T.csv }).click(),
      ])
      assert.match(file.suggestedFilename(), /^usage-\d{4}-\d\d-01-\d{4}-\d\d-\d\d\.csv$/)
      const [head, ...lines] = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/)
      assert.equal(head, 'day,account_id,channel,country,provider,messages,segments,sent_messages,sent_segments')
      assert.equal(lines.length, 6)
      assert.ok(lines.some((line) => /,default,sms,PT,simulator,0,0,1,1$/.test(line)))
    }))

  test('needs no admin for the own account', async () => {
    const token = await site.tokenFor(['messages:read'])
    await site.visit({ path: '/usage', token }, async (page) => {
      await page.locator('table.usage').waitFor()
      await page.getByText(T.about).waitFor()
    })
  })
})
