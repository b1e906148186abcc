import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { send, untilIndexed } from '../support/sms.ts'
import { describeConsole } from './console.fixture.ts'
import { measureFirstView, measureFrames } from './figures.ts'
import { measureVitals } from './vitals.ts'

/** The target of `bench/console.ts` on an idle machine, and the factor allowed on a busy one. */
const [FIRST_VIEW_MS, PATIENCE] = [1_000, 8]
const SCRIPT_BYTES = 150 * 1024
const LAYOUT_SHIFT = 0.005

describeConsole('console speed', (site) => {
  before(async () => {
    for (let sent = 0; sent < 150; sent += 1) await send(site.gateway)
    await untilIndexed(site.gateway)
  })

  test('the first view is small and fast', async (t) => {
    const { scriptBytes, rowsAtMs } = await measureFirstView(site)
    t.diagnostic(`${(scriptBytes / 1024).toFixed(1)} KB of script, rows after ${Math.round(rowsAtMs)} ms`)
    assert.ok(scriptBytes <= SCRIPT_BYTES, `${scriptBytes} bytes of script, packed`)
    assert.ok(rowsAtMs <= FIRST_VIEW_MS * PATIENCE, `${rowsAtMs} ms`)
  })

  test('pages are complete soon, and nothing on them moves', async (t) => {
    for (const path of ['/', '/messages', '/providers', '/templates']) {
      const { largestPaintMs, layoutShift } = await measureVitals(site, path)
      t.diagnostic(`${path}: largest paint after ${Math.round(largestPaintMs)} ms, shift ${layoutShift.toFixed(4)}`)
      assert.ok(layoutShift <= LAYOUT_SHIFT, `${path} shifts by ${layoutShift}`)
      assert.ok(largestPaintMs <= FIRST_VIEW_MS * PATIENCE, `${path}: ${largestPaintMs} ms`)
    }
  })

  test('stays responsive at ten thousand events a minute', async (t) => {
    const frames = await measureFrames(site, { seconds: 5, messagesPerSecond: 45 })
    const { eventsPerMinute, late, longestMs, busy } = frames
    t.diagnostic(
      `${Math.round(eventsPerMinute)} events a minute, ${late} of ${frames.frames} frames late, ` +
        `the longest ${Math.round(longestMs)} ms, busy ${Math.round(100 * busy)} % of the time`,
    )
    assert.ok(eventsPerMinute > 3_000, 'the load was generated')
    assert.ok(busy < 0.75, `busy ${busy}`)
    assert.ok(late < frames.frames / 4, `${late} of ${frames.frames} frames late`)
  })
})
