import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { send, untilIndexed } from '../support/sms.ts'
import { describeConsole } from './console.fixture.ts'
import { measureFirstView, measureFrames } from './figures.ts'

/** What is to be reached on a machine of its own, by `bench/console.ts`; one that is busy may take so many times as long. */
const [FIRST_VIEW_MS, PATIENCE] = [1_000, 8]
const SCRIPT_BYTES = 150 * 1024

describeConsole('the speed of the console', (site) => {
  before(async () => {
    for (let sent = 0; sent < 150; sent += 1) await send(site.gateway)
    await untilIndexed(site.gateway)
  })

  test('its first view loads little, and is there soon', async (t) => {
    const { scriptBytes, rowsAtMs } = await measureFirstView(site)
    t.diagnostic(`${(scriptBytes / 1024).toFixed(1)} KB of script, rows after ${Math.round(rowsAtMs)} ms`)
    assert.ok(scriptBytes <= SCRIPT_BYTES, `${scriptBytes} bytes of script, packed`)
    assert.ok(rowsAtMs <= FIRST_VIEW_MS * PATIENCE, `${rowsAtMs} ms`)
  })

  test('ten thousand events a minute leave the page time to spare', async (t) => {
    const frames = await measureFrames(site, { seconds: 5, messagesPerSecond: 45 })
    const { eventsPerMinute, late, longestMs, busy } = frames
    t.diagnostic(
      `${Math.round(eventsPerMinute)} events a minute, ${late} of ${frames.frames} frames late, ` +
        `the longest ${Math.round(longestMs)} ms, busy ${Math.round(100 * busy)} % of the time`,
    )
    assert.ok(eventsPerMinute > 3_000, 'the load was there')
    assert.ok(busy < 0.75, `busy ${busy}`)
    assert.ok(late < frames.frames / 4, `${late} of ${frames.frames} frames late`)
  })
})
