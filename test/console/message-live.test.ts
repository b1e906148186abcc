/** The page of a message follows it to its end, however its load and its live events interleave. */
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { send, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { describeConsole } from './console.fixture.ts'
import { TEXTS } from './texts.ts'

/** Below the interval of the fallback polling, so that only live events can make it. */
const AT_ONCE = { timeout: 8_000 }
const MESSAGES = 20

const badge = (page: Page, state: 'sent' | 'delivered') =>
  page.locator('.message-head .badge').getByText(TEXTS.common.states[state], { exact: true })

/** Messages from `Slow` are delivered long after a page has been opened. */
const PACES = {
  config: {
    providers: [
      { name: 'simulator', kind: 'simulator', settings: { receipt_delay_ms: 700 } },
      { name: 'slow', kind: 'simulator', settings: { receipt_delay_ms: 5_000 } },
    ],
    routes: [
      { id: 'slow', channel: 'sms', sender: 'Slow', providers: ['slow'] },
      { id: 'sms', channel: 'sms', providers: ['simulator'] },
    ],
  },
}
const SLOW = { sender_id: 'Slow' }

/** Records that the page has read the event of a delivery. */
const RECORD_DELIVERY = `{
  const parse = JSON.parse
  JSON.parse = (text, ...more) => {
    window.hasSeenDelivery ||= String(text).includes('"newStatus":"delivered"')
    return parse(text, ...more)
  }
}`

describeConsole(
  'message page, live',
  (site) => {
    test(`follows ${MESSAGES} messages to their end`, async () => {
      await site.visit({}, async (page) => {
        for (let nth = 0; nth < MESSAGES; nth += 1) {
          const id = await send(site.gateway)
          await page.goto(`${site.gateway.url}/console/messages/${id}`)
          await badge(page, 'delivered').waitFor(AT_ONCE)
        }
      })
    })

    test('notices what happened between its load and the beginning of the stream', async () => {
      await site.visit({}, async (page) => {
        const id = await send(site.gateway, SLOW)
        const opened = Promise.withResolvers<void>()
        await page.route('**/v1/events', async (route) => {
          await opened.promise
          await route.continue()
        })
        await page.goto(`${site.gateway.url}/console/messages/${id}`)
        await badge(page, 'sent').waitFor()
        await untilStatus(site.gateway, id, 'delivered')
        opened.resolve()
        await badge(page, 'delivered').waitFor(AT_ONCE)
      })
    })

    test('notices what happened while its first load was on its way', async () => {
      await site.visit({}, async (page) => {
        const id = await send(site.gateway, SLOW)
        await untilStatus(site.gateway, id, 'sent')
        const released = Promise.withResolvers<void>()
        let isFirst = true
        await page.route(`**/v1/messages/${id}`, async (route) => {
          if (!isFirst) return route.continue()
          isFirst = false
          const response = await route.fetch()
          await released.promise
          await route.fulfill({ response })
        })
        await page.addInitScript(RECORD_DELIVERY)
        const events = page.waitForResponse('**/v1/events')
        const asked = page.waitForRequest(`**/v1/messages/${id}`)
        await page.goto(`${site.gateway.url}/console/messages/${id}`)
        await Promise.all([events, asked])
        await untilStatus(site.gateway, id, 'delivered')
        await until('the event of the delivery', () => page.evaluate<boolean>('window.hasSeenDelivery === true'))
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
        released.resolve()
        await badge(page, 'delivered').waitFor(AT_ONCE)
      })
    })
  },
  PACES,
)
