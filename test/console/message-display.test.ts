/** How the message list is displayed, what it exports, and what it shows when it is empty. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sendMail } from '../support/email.ts'
import { magic, send, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { axeFindings } from './axe.ts'
import { addFilter, describeConsole, PHONE } from './console.fixture.ts'
import { SCENE_CONFIG } from './scene.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.messages
const D = TEXTS.common.display

const heads = (page: Page): Promise<readonly string[]> => page.locator('table.messages th').allInnerTexts()
const row = (page: Page, id: string): Locator => page.locator(`tr[id="message-${id}"]`)
const heightOf = async (one: Locator): Promise<number | undefined> => (await one.boundingBox())?.height
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

describeConsole(
  'display of messages',
  (site) => {
    let [dead, mail]: [string, string] = ['', '']
    before(async () => {
      dead = await send(site.gateway, { to: magic('0004') })
      mail = await sendMail(site.gateway)
      await untilStatus(site.gateway, dead, 'failed')
      await untilStatus(site.gateway, mail, 'delivered')
      await untilIndexed(site.gateway)
    })

    test('identifies a message in its row, and shows the absolute time on hover', () =>
      site.visit({}, async (page) => {
        await row(page, mail).getByRole('img', { name: TEXTS.common.channels.email }).waitFor()
        await row(page, mail).getByText(mail.slice(0, 8), { exact: true }).waitFor()
        const time = row(page, mail).locator('time')
        assert.match((await time.getAttribute('title')) ?? '', /\d{4}/)
        await time.hover()
        assert.ok(await time.evaluate((element) => element.matches(':hover')))
        assert.equal(await row(page, dead).locator('.at-attempts').innerText(), '2')
        assert.equal(await row(page, mail).locator('.at-attempts').innerText(), '')
        await time.click()
        await page.waitForURL(`**/messages/${mail}`)
      }))

    test('hides columns that are empty in every row', () =>
      site.visit({}, async (page) => {
        await row(page, dead).waitFor()
        assert.ok((await heads(page)).includes(T.columns.error))
        assert.ok(!(await heads(page)).includes(T.columns.tags))
        await page.goto(`${site.gateway.url}/console/messages?status=delivered`)
        await row(page, mail).waitFor()
        assert.ok(!(await heads(page)).includes(T.columns.error))
      }))

    test('remembers columns and density after a reload', () =>
      site.visit({}, async (page) => {
        await row(page, mail).waitFor()
        const before = await heightOf(row(page, mail))
        await button(page, D.action).click()
        await page.getByRole('checkbox', { name: T.columns.provider }).uncheck()
        await page.getByText(D.densities.compact, { exact: true }).click()
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        await page.reload()
        await row(page, mail).waitFor()
        assert.ok(!(await heads(page)).includes(T.columns.provider))
        const after = await heightOf(row(page, mail))
        assert.ok(before !== undefined && after !== undefined && after < before, `${before} ${after}`)
        await button(page, D.action).click()
        await page.getByRole('checkbox', { name: T.columns.provider }).check()
        await page.getByText(T.columns.provider, { exact: true }).first().waitFor()
      }))

    test('exports what matches the filters as CSV', () =>
      site.visit({ path: '/messages?channel=sms' }, async (page) => {
        await row(page, dead).waitFor()
        const [download] = await Promise.all([page.waitForEvent('download'), button(page, T.export.action).click()])
        const lines = (await readFile(await download.path(), 'utf8')).split('\r\n')
        assert.match(download.suggestedFilename(), /^messages-[\dT-]+Z\.csv$/)
        assert.match(lines[0] ?? '', /^id,created_at,/)
        assert.deepEqual(lines.slice(2), [''])
        assert.ok(lines[1]?.startsWith(`${dead},`))
        assert.ok(lines[1]?.includes(`,'+*******0004,`))
        await page.getByText(T.export.done(1)).waitFor()
        await page.getByRole('dialog').getByRole('button', { name: TEXTS.common.close }).click()
      }))

    test('an export can be canceled', () =>
      site.visit({}, async (page) => {
        await row(page, dead).waitFor()
        let [asked, release] = [false, (): void => {}]
        await page.route('**/v1/messages?*limit=200*', (route) => {
          asked = true
          release = () => void route.continue().catch(() => {})
        })
        await button(page, T.export.action).click()
        await until('the export to begin', () => asked)
        await page.getByRole('dialog').getByRole('button', { name: TEXTS.common.cancel }).click()
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        release()
        assert.equal(await page.getByText(T.export.done(2)).count(), 0)
      }))

    test('an empty gateway explains how to send the first message', async () => {
      const { token, url } = await site.gateway.of(`tenant-${randomUUID()}`)
      await site.visit({ token }, async (page) => {
        await page.getByText(T.first.title).waitFor()
        await page.getByText(`curl -X POST '${url}/v1/sms/send'`).waitFor()
        const link = page.getByRole('main').getByRole('link', { name: T.first.send })
        assert.match((await link.getAttribute('href')) ?? '', /\/send$/)
        assert.equal(await page.getByText(T.noneMatch).count(), 0)
      })
    })

    for (const [name, options] of [
      ['light', {}],
      ['dark', { colorScheme: 'dark' }],
      ['a phone', { viewport: PHONE }],
    ] as const)
      test(`popovers are accessible and fit in ${name}`, () =>
        site.visit({ bypassCSP: true, path: '/messages?channel=sms', ...options }, async (page) => {
          await row(page, dead).waitFor()
          const found: string[] = []
          const check = async (what: string): Promise<void> => {
            found.push(...(await axeFindings(page)).map((finding) => `${what} ${finding}`))
            const width = await page.evaluate<number>('document.documentElement.scrollWidth')
            if (width > (page.viewportSize()?.width ?? 0)) found.push(`${what} is ${width} px wide`)
            await page.keyboard.press('Escape')
            await page.getByRole('dialog').waitFor({ state: 'detached' })
          }
          await button(page, D.action).click()
          await page.getByRole('checkbox').first().waitFor()
          await check('display')
          await button(page, TEXTS.common.filters.action).click()
          await page.getByRole('listbox').waitFor()
          await check('filters')
          await addFilter(page, T.names.tag)
          await check('text')
          await addFilter(page, T.created)
          await check('times')
          assert.deepEqual(found, [])
        }))
  },
  SCENE_CONFIG,
)
