/** Measures the console in a browser: the size and speed of its first view, and its frame rate under load. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, CDPSession, Page } from 'playwright-core'
import type { Gateway } from '../support/gateway.ts'
import { metric, someSms } from '../support/sms.ts'
import { addressOf } from './console.fixture.ts'

type Site = Readonly<{ gateway: Gateway; browser: Browser }>

const DIST = join(import.meta.dirname, '../../console/dist')
const ROWS = 'tr.message-row'

/** Runs before the page's scripts: records when the first rows are rendered. */
const NOTE_ROWS = `new MutationObserver((_, observer) => {
  if (document.querySelector('${ROWS}') === null) return
  window.rowsAtMs = performance.now()
  observer.disconnect()
}).observe(document, { subtree: true, childList: true })`

export type FirstView = Readonly<{
  /** From the start of the navigation to the first rows. */
  rowsAtMs: number
  /** The gzip size of all scripts loaded until then. */
  scriptBytes: number
}>

/** Uses an empty cache. The gateway must have messages. */
export async function measureFirstView({ gateway, browser }: Site): Promise<FirstView> {
  await using opened = new AsyncDisposableStack()
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  opened.defer(() => context.close())
  const page = await context.newPage()
  const scripts = new Set<string>()
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.endsWith('.js')) scripts.add(pathname.replace('/console/', ''))
  })
  await page.addInitScript(NOTE_ROWS)
  await page.goto(addressOf(gateway.url, '/messages', gateway.token))
  await page.locator(ROWS).first().waitFor()
  const scriptBytes = [...scripts].reduce((sum, script) => sum + statSync(join(DIST, `${script}.gz`)).size, 0)
  return { rowsAtMs: await page.evaluate<number>('window.rowsAtMs'), scriptBytes }
}

export type Frames = Readonly<{
  eventsPerMinute: number
  frames: number
  /** Frames that took more than 50 ms, and the longest one. */
  late: number
  longestMs: number
  /** The share of time the main thread was busy. */
  busy: number
}>

const [BATCH, LATE_MS] = [5, 50]

/** Watches the list while messages are sent at this rate. */
export async function measureFrames(
  { gateway, browser }: Site,
  { seconds, messagesPerSecond }: Readonly<{ seconds: number; messagesPerSecond: number }>,
): Promise<Frames> {
  await using opened = new AsyncDisposableStack()
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  opened.defer(() => context.close())
  const page = await context.newPage()
  await page.goto(addressOf(gateway.url, '/messages', gateway.token))
  await page.locator(ROWS).first().waitFor()
  const counters = await context.newCDPSession(page)
  await counters.send('Performance.enable')
  const [busyBefore, eventsBefore] = [await busySeconds(counters), await transitions(gateway)]
  await beginCounting(page)
  await pour(gateway, seconds, messagesPerSecond)
  const gaps = await page.evaluate<readonly number[]>('(window.isCounting = false, window.gaps)')
  const tookSeconds = gaps.reduce((sum, gap) => sum + gap, 0) / 1_000
  return {
    eventsPerMinute: (60 * ((await transitions(gateway)) - eventsBefore)) / tookSeconds,
    frames: gaps.length,
    late: gaps.filter((gap) => gap > LATE_MS).length,
    longestMs: Math.max(...gaps),
    busy: ((await busySeconds(counters)) - busyBefore) / tookSeconds,
  }
}

const beginCounting = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((begun) => {
    window.gaps = []
    window.isCounting = true
    let before
    const count = (now) => {
      if (before === undefined) begun()
      else window.gaps.push(now - before)
      before = now
      if (window.isCounting) requestAnimationFrame(count)
    }
    requestAnimationFrame(count)
  })`)

/** The busy time of the main thread, as the browser counts it. */
async function busySeconds(counters: CDPSession): Promise<number> {
  const { metrics } = await counters.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
}

/** Each transition is one event on the stream. */
const transitions = (gateway: Gateway): Promise<number> => metric(gateway, 'pombo_status_changes_total')

/** Sends at a constant rate, without waiting for responses. */
async function pour(gateway: Gateway, seconds: number, perSecond: number): Promise<void> {
  const everyMs = (1_000 * BATCH) / perSecond
  const [begunAt, answers]: [number, Promise<unknown>[]] = [performance.now(), []]
  for (let turn = 0; turn * everyMs < seconds * 1_000; turn += 1) {
    await wait(Math.max(0, begunAt + turn * everyMs - performance.now()))
    const items = Array.from({ length: BATCH }, () => ({ channel: 'sms', ...someSms() }))
    answers.push(gateway.call('POST', '/v1/messages/batch', { items }))
  }
  await Promise.all(answers)
}
