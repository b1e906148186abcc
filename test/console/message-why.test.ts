/** The panel of the message page that says why the message stands where it stands. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Explanation } from '../../src/api/explain/explanation-schemas.ts'
import { send, untilEvent, untilStatus } from '../support/sms.ts'
import { axeFindings } from './axe.ts'
import { describeConsole } from './console.fixture.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.why
const LATER = {
  routes: [{ id: 'later', channel: 'sms', providers: ['simulator'], retry: { delays_seconds: [900] } }],
}

const panel = (page: Page) => page.locator('details.why')
const open = (page: Page): Promise<void> => page.getByRole('heading', { name: T.title, exact: true }).click()

describeConsole(
  'message page, why?',
  (site) => {
    const explain = async (id: string): Promise<Explanation> =>
      (await site.gateway.call<Explanation>('GET', `/v1/messages/${id}/explain`)).body

    test('shows what the gateway says, and asks for it only while it is open', async () => {
      const id = await send(site.gateway, { to: '+15005550001' })
      await untilStatus(site.gateway, id, 'failed')
      const { summary, reasons, actions } = await explain(id)
      await site.visit({ path: `/messages/${id}` }, async (page) => {
        const asked: string[] = []
        page.on('request', (request) => {
          if (request.url().endsWith('/explain')) asked.push(request.url())
        })
        await panel(page).waitFor()
        assert.deepEqual(asked, [])
        await open(page)
        for (const text of [summary, ...[...reasons, ...actions].map((one) => one.text)]) {
          await panel(page).getByText(text).first().waitFor()
        }
        assert.ok(asked.length > 0)
        await page.reload()
        await panel(page).getByText(summary).waitFor()
      })
    })

    test('says what is next, and which scope an action needs', async () => {
      const id = await send(site.gateway, { to: '+15005550003' })
      await untilEvent(site.gateway, id, 'RetryScheduled')
      const { next } = await explain(id)
      const token = await site.tokenFor(['messages:read'])
      await site.visit({ path: `/messages/${id}`, token }, async (page) => {
        await open(page)
        await panel(page).getByRole('heading', { name: T.next, exact: true }).waitFor()
        await panel(page)
          .getByText(next?.text ?? '')
          .waitFor()
        await panel(page).getByText(T.scope('messages:write')).waitFor()
        assert.deepEqual(await axeFindings(page), [])
      })
    })
  },
  { config: LATER },
)
