/**
 * Visual regression: pages of a still gateway look exactly as in pictures/expected. After a change that is meant to be
 * seen, `npm run pictures` takes new ones: look at each before you commit it.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page, Request } from 'playwright-core'
import { missingChromium, openBrowser } from '../support/browser.ts'
import { buildConsole } from '../support/console-build.ts'
import { addressOf, DESK, PHONE, untilShown } from './console.fixture.ts'
import { comparePictures } from './pictures/compare.ts'
import { openStillGateway, type StillGateway } from './pictures/still-gateway.ts'

const EXPECTED = join(import.meta.dirname, 'pictures/expected')
const FOUND = join(tmpdir(), 'pombo-pictures')
const IS_TAKING = process.env['POMBO_TAKE_PICTURES'] === 'true'
/** Of the pixels: less than a changed letter. */
const TOLERATED = 0.0001
const SUITE_MS = 300_000
const MOST_TAKEN = 50

type Path = string | ((gateway: StillGateway) => string)
type Variant = 'light' | 'dark' | 'phone'

const ALL: readonly Variant[] = ['light', 'dark', 'phone']

/** The pages that differ most in what they are made of. */
const PICTURES: readonly (readonly [name: string, path: Path, variants: readonly Variant[]])[] = [
  ['overview', '/', ALL],
  ['messages', '/messages', ALL],
  ['message', ({ messages }) => `/messages/${messages.retried}`, ALL],
  ['message-failed', ({ messages }) => `/messages/${messages.blocked}`, ['light']],
  ['message-email', ({ messages }) => `/messages/${messages.mail}`, ['light']],
  ['dead-letters', '/dead-letters', ['light', 'phone']],
  ['providers', '/providers', ['light']],
  ['routes', '/routes', ['light']],
  ['limits', '/limits', ['light']],
  ['templates', '/templates', ['light']],
  ['webhooks', '/webhooks', ['light', 'dark']],
  ['api-keys', '/api-keys', ['light', 'phone']],
  ['audit-log', '/audit-log', ['light']],
]

describe('pictures of the console', { skip: missingChromium() ?? false, timeout: SUITE_MS }, () => {
  const opened = new AsyncDisposableStack()
  let [gateway, browser]: [StillGateway?, Browser?] = []
  before(async () => {
    buildConsole()
    gateway = opened.use(await openStillGateway())
    browser = await openBrowser()
    opened.defer(() => browser?.close())
  })
  after(() => opened.disposeAsync())

  for (const [name, path, variants] of PICTURES) {
    for (const variant of variants) {
      test(`${name}, ${variant}`, async () => {
        assert.ok(gateway !== undefined && browser !== undefined)
        const address = typeof path === 'string' ? path : path(gateway)
        const picture = await take({ gateway, browser, variant }, address)
        check(`${name}-${variant}`, picture)
      })
    }
  }
})

type Opened = Readonly<{ gateway: StillGateway; browser: Browser; variant: Variant }>

/** The browser's clock stands still, too. */
async function take({ gateway, browser, variant }: Opened, path: string): Promise<Buffer> {
  const context = await browser.newContext({
    viewport: variant === 'phone' ? PHONE : DESK,
    colorScheme: variant === 'dark' ? 'dark' : 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  try {
    const page = await context.newPage()
    await page.clock.setFixedTime(gateway.now)
    const pending = watchRequests(page)
    await page.goto(addressOf(gateway.url, path, gateway.token))
    await untilShown(page)
    await page.evaluate('document.fonts.ready')
    return await whenStill(page, pending)
  } finally {
    await context.close()
  }
}

/** The requests without an answer yet, except for the stream of events. */
function watchRequests(page: Page): ReadonlySet<Request> {
  const pending = new Set<Request>()
  page.on('request', (request) => {
    if (!request.url().includes('/v1/events')) pending.add(request)
  })
  const end = (request: Request): boolean => pending.delete(request)
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  return pending
}

/** A page is complete once it waits for no answer and two pictures of it in a row are equal. */
async function whenStill(page: Page, pending: ReadonlySet<Request>): Promise<Buffer> {
  let last: Buffer | undefined
  for (let taken = 0; taken < MOST_TAKEN; taken += 1) {
    const isWaiting = pending.size > 0
    const next = await page.screenshot()
    if (!isWaiting && pending.size === 0 && last?.equals(next) === true) return next
    last = next
  }
  throw new Error('the page never stands still')
}

function check(name: string, picture: Buffer): void {
  const file = join(EXPECTED, `${name}.png`)
  if (IS_TAKING) {
    mkdirSync(EXPECTED, { recursive: true })
    const isSame = existsSync(file) && comparePictures(readFileSync(file), picture, TOLERATED).kind === 'same'
    if (!isSame) writeFileSync(file, picture)
    return
  }
  assert.ok(existsSync(file), `${name} has no picture yet: run npm run pictures`)
  const comparison = comparePictures(readFileSync(file), picture, TOLERATED)
  if (comparison.kind === 'same') return
  mkdirSync(FOUND, { recursive: true })
  writeFileSync(join(FOUND, `${name}.png`), picture)
  if (comparison.diff !== undefined) writeFileSync(join(FOUND, `${name}.diff.png`), comparison.diff)
  assert.fail(`${name}: ${comparison.why}; see ${FOUND}, or run npm run pictures if it is meant to look like this`)
}
