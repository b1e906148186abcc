/** The page of a message with everything open, in the states that the scene of the other tests does not have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sendMail } from '../support/email.ts'
import { send, show, untilEvent, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { axeFindings, COLOURS } from './axe.ts'
import { DESK, describeConsole, PHONE } from './console.fixture.ts'
import { SCENE_CONFIG } from './scene.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.message
/** Only axe may bypass the page's policy. */
const ROUND = { bypassCSP: true, colorScheme: 'light' } as const

async function openEverything(page: Page): Promise<void> {
  const machines = page.locator('details.card.fold:not(.why)')
  if ((await machines.getAttribute('open')) === null) await machines.locator('summary').click()
  await page.getByRole('button', { name: T.timeline.openAll }).click()
  await page.locator('ol.events pre').first().waitFor()
}

async function flaws(page: Page): Promise<readonly string[]> {
  const wide = await axeFindings(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await axeFindings(page, COLOURS)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(PHONE)
  const small = await axeFindings(page, COLOURS)
  const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  await page.setViewportSize(DESK)
  return [...wide, ...dark, ...small, ...(tooWide > 0 ? [`${tooWide} px wider than a phone`] : [])]
}

describeConsole(
  'message page, states',
  (site) => {
    test('keeps each cycle with its states, is accessible and fits a phone with everything open', async () => {
      const [bounced, replayed, erased] = await Promise.all([
        sendMail(site.gateway, { to: 'bounce+states@sim.pombo.test' }),
        send(site.gateway, { to: '+15005550004' }),
        send(site.gateway, { tags: ['a-tag-that-is-rather-long-for-a-phone'], metadata: { order: 'A'.repeat(80) } }),
      ])
      await untilEvent(site.gateway, bounced, 'ProviderBounced')
      await untilStatus(site.gateway, replayed, 'failed')
      assert.equal((await site.gateway.call('POST', `/v1/messages/${replayed}/resend`)).status, 202)
      await until('the second cycle', async () => {
        const { cycle, status } = await show(site.gateway, replayed)
        return cycle === 2 && status === 'failed'
      })
      await untilStatus(site.gateway, erased, 'delivered')
      await site.visit(ROUND, async (page) => {
        const found: string[] = []
        const open = async (id: string): Promise<void> => {
          await page.goto(`${site.gateway.url}/console/messages/${id}`)
          await openEverything(page)
          found.push(...(await flaws(page)))
        }
        await open(erased)
        await site.gateway.call('POST', `/v1/messages/${erased}/erase`)
        for (const id of [erased, bounced, replayed]) await open(id)
        // Neither cycle shows it as not reached.
        assert.equal(await page.getByText(T.machines.step(TEXTS.common.states.failed, T.machines.current)).count(), 2)
        assert.equal(await page.locator('.cycle').count(), 2)
        assert.deepEqual(found, [])
      })
    })
  },
  SCENE_CONFIG,
)
