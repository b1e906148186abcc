/**
 * The console in a real browser: `node bin/node24.cjs bench/console.ts`, on an otherwise idle machine. It measures what
 * the first view loads, when the list appears, how much pages shift, and the frame rate with 10,000 events per minute. search.ts measures the
 * API behind it.
 */
import { measureFirstView, measureFrames } from '../test/console/figures.ts'
import { measureVitals } from '../test/console/vitals.ts'
import { openBrowser } from '../test/support/browser.ts'
import { buildConsole } from '../test/support/console-build.ts'
import { openFolder } from '../test/support/folder.ts'
import { startGateway } from '../test/support/gateway.ts'
import { send, untilIndexed } from '../test/support/sms.ts'
import { say } from './step.ts'
import { ms, whole } from './verdict.ts'

const BARS = {
  scriptKb: 150,
  rowsMs: 1_000,
  largestPaintMs: 1_000,
  layoutShift: 0.005,
  eventsPerMinute: 10_000,
  lateShare: 0.01,
}
const [VIEWS, SECONDS, MESSAGES_PER_SECOND] = [5, 10, 45]

function report(title: string, measured: string, bar: string, isMet: boolean): void {
  if (!isMet) process.exitCode = 1
  say(`${title.padEnd(36)} ${measured.padStart(12)}   ${isMet ? 'met' : 'MISSED'}: ${bar}`)
}

buildConsole()
await using opened = new AsyncDisposableStack()
const folder = opened.use(await openFolder())
const gateway = opened.use(await startGateway({ folder: folder.path }))
const browser = await openBrowser()
opened.defer(() => browser.close())
for (let sent = 0; sent < 300; sent += 1) await send(gateway)
await untilIndexed(gateway)

const views = []
for (let view = 0; view < VIEWS; view += 1) views.push(await measureFirstView({ gateway, browser }))
const rowsMs = views.map(({ rowsAtMs }) => rowsAtMs).toSorted((one, other) => one - other)[Math.floor(VIEWS / 2)] ?? 0
const scriptKb = Math.max(...views.map(({ scriptBytes }) => scriptBytes)) / 1024
report('first view, script', `${scriptKb.toFixed(1)} KB`, `≤ ${BARS.scriptKb} KB gzipped`, scriptKb <= BARS.scriptKb)
report('first view, list shown', ms(rowsMs), `≤ ${ms(BARS.rowsMs)}, the median of ${VIEWS}`, rowsMs <= BARS.rowsMs)

for (const path of ['/', '/messages', '/providers', '/templates']) {
  const { largestPaintMs, layoutShift } = await measureVitals({ gateway, browser }, path)
  const isFast = largestPaintMs <= BARS.largestPaintMs
  report(`${path}, largest paint`, ms(largestPaintMs), `≤ ${ms(BARS.largestPaintMs)}`, isFast)
  const isStill = layoutShift <= BARS.layoutShift
  report(`${path}, layout shift`, layoutShift.toFixed(4), `≤ ${BARS.layoutShift}`, isStill)
}

const seen = await measureFrames({ gateway, browser }, { seconds: SECONDS, messagesPerSecond: MESSAGES_PER_SECOND })
const { eventsPerMinute, frames, late, longestMs, busy } = seen
report(
  'live events per minute',
  whole(eventsPerMinute),
  `≥ ${whole(BARS.eventsPerMinute)}`,
  eventsPerMinute >= BARS.eventsPerMinute,
)
report(
  'frames later than 50 ms',
  `${late} of ${frames}`,
  `≤ ${100 * BARS.lateShare} %; the longest ${ms(longestMs)}`,
  late <= frames * BARS.lateShare,
)
say(`${'main thread busy'.padEnd(36)} ${`${whole(100 * busy)} %`.padStart(12)}`)
