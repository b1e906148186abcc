/** What a person waits for on a page, as browsers report it: largest contentful paint, and how much the layout shifts. */
import type { Browser } from 'playwright-core'
import type { Gateway } from '../support/gateway.ts'
import { addressOf, untilShown } from './console.fixture.ts'

export type Vitals = Readonly<{
  /** From the start of the navigation, with an empty cache. */
  largestPaintMs: number
  /** The cumulative layout shift of the whole visit; 0 is still, and 0.1 is what search engines call good. */
  layoutShift: number
}>

/** Runs before the page's scripts. Shifts within half a second of an input do not count, as in every definition of it. */
const OBSERVE = `(() => {
  window.vitals = { largestPaintMs: 0, layoutShift: 0 }
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) window.vitals.largestPaintMs = startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.vitals.layoutShift += value
  }).observe({ type: 'layout-shift', buffered: true })
})()`

/** After a first paint, pages may still shift when their data arrives. */
const SETTLED_MS = 1_000

type Site = Readonly<{ gateway: Gateway; browser: Browser }>

export async function measureVitals({ gateway, browser }: Site, path: string): Promise<Vitals> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    await page.addInitScript(OBSERVE)
    await page.goto(addressOf(gateway.url, path, gateway.token))
    await untilShown(page)
    await page.waitForTimeout(SETTLED_MS)
    return await page.evaluate<Vitals>('window.vitals')
  } finally {
    await context.close()
  }
}
