/**
 * Visual regression: pages of a still gateway look exactly as in pictures/expected. After a change that is meant to be
 * seen, `npm run pictures` takes new ones: look at each before you commit it.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { missingChromium, openBrowser } from '../support/browser.ts'
import { buildConsole } from '../support/console-build.ts'
import { until } from '../support/until.ts'
import { addressOf, DESK, PHONE, untilShown } from './console.fixture.ts'
import { comparePictures } from './pictures/compare.ts'
import { PICTURES, type Picture, type Variant } from './pictures/pages.ts'
import { openStillGateway, type StillGateway } from './pictures/still-gateway.ts'
import { TEXTS } from './texts.ts'

const EXPECTED = join(import.meta.dirname, 'pictures/expected')
const FOUND = join(tmpdir(), 'pombo-pictures')
const IS_TAKING = process.env['POMBO_TAKE_PICTURES'] === 'true'
/** Of the pixels: less than a changed letter. */
const TOLERATED = 0.0001
const SUITE_MS = 300_000
const MOST_TAKEN = 50

describe('pictures of the console', { skip: missingChromium() ?? false, timeout: SUITE_MS }, () => {
  const opened = new AsyncDisposableStack()
  let [gateway, browser]: [StillGateway?, Browser?] = []
  const contexts = new Map<boolean, Promise<BrowserContext>>()
  before(async () => {
    buildConsole()
    gateway = opened.use(await openStillGateway())
    browser = await openBrowser()
    opened.defer(() => browser?.close())
  })
  after(() => opened.disposeAsync())

  for (const picture of PICTURES) {
    const { name, variants, isPublic = false } = picture
    test(`${name}, ${variants.join(', ')}`, async () => {
      assert.ok(gateway !== undefined && browser !== undefined)
      // A page that has cached the code of the console loads much faster.
      const context = contexts.get(isPublic) ?? openContext(browser)
      contexts.set(isPublic, context)
      const page = await (await context).newPage()
      const problems = await takeAll(page, gateway, picture)
      await page.close()
      assert.deepEqual(problems, [])
    })
  }

  test('every expected picture is of a page in the list', () => {
    const names = PICTURES.flatMap(({ name, variants }) => variants.map((variant) => `${name}-${variant}.png`))
    const others = readdirSync(EXPECTED).filter((file) => !names.includes(file))
    if (IS_TAKING) for (const file of others) rmSync(join(EXPECTED, file))
    else assert.deepEqual(others, [])
  })
})

const openContext = (browser: Browser): Promise<BrowserContext> =>
  browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' })

/** The page is loaded once for all variants. The browser's clock stands still, too. Returns what differs. */
async function takeAll(page: Page, gateway: StillGateway, picture: Picture): Promise<readonly string[]> {
  const { name, path, variants, open, isPublic = false } = picture
  await page.clock.setFixedTime(gateway.now)
  const pending = watchRequests(page)
  await show(page, variants[0] ?? 'light')
  const address = typeof path === 'string' ? path : path(gateway)
  await page.goto(addressOf(gateway.url, address, isPublic ? null : gateway.token))
  await untilShown(page)
  await page.evaluate('document.fonts.ready')
  await open?.(page)
  const problems: (string | undefined)[] = []
  for (const variant of variants) {
    await show(page, variant)
    const expected = readExpected(`${name}-${variant}`)
    const taken = await whenStill(page, pending, expected)
    problems.push(check(`${name}-${variant}`, expected, taken))
  }
  return problems.filter((problem) => problem !== undefined)
}

async function show(page: Page, variant: Variant): Promise<void> {
  await page.emulateMedia({ colorScheme: variant === 'dark' ? 'dark' : 'light' })
  await page.setViewportSize(variant === 'phone' ? PHONE : DESK)
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

/** React shows what it has loaded up to 300 ms later. */
const IS_LOADED = `document.querySelector('.plot:empty, .skeleton') === null &&
  !document.body.innerText.includes('${TEXTS.common.loading}')`

/**
 * A page is complete once it waits for no answer, and looks as expected or the same in two pictures in a row. The first
 * of these is cheaper: a picture costs as much as loading a page.
 */
async function whenStill(page: Page, pending: ReadonlySet<Request>, expected: Buffer | undefined): Promise<Buffer> {
  let last: Buffer | undefined
  for (let taken = 0; taken < MOST_TAKEN; taken += 1) {
    await until('the last answer', async () => pending.size === 0 && (await page.evaluate<boolean>(IS_LOADED)))
    const next = await page.screenshot()
    if (pending.size === 0 && (last?.equals(next) === true || expected?.equals(next) === true)) return next
    last = next
  }
  throw new Error('the page never stands still')
}

const fileOf = (name: string): string => join(EXPECTED, `${name}.png`)
const readExpected = (name: string): Buffer | undefined =>
  existsSync(fileOf(name)) ? readFileSync(fileOf(name)) : undefined

/** What is wrong with the picture, if anything. */
function check(name: string, expected: Buffer | undefined, picture: Buffer): string | undefined {
  const comparison = expected && comparePictures(expected, picture, TOLERATED)
  if (comparison?.kind === 'same') return undefined
  if (IS_TAKING) {
    mkdirSync(EXPECTED, { recursive: true })
    writeFileSync(fileOf(name), picture)
    return undefined
  }
  if (comparison === undefined) return `${name} has no picture yet: run npm run pictures`
  mkdirSync(FOUND, { recursive: true })
  writeFileSync(join(FOUND, `${name}.png`), picture)
  if (comparison.diff !== undefined) writeFileSync(join(FOUND, `${name}.diff.png`), comparison.diff)
  return `${name}: ${comparison.why}; see ${FOUND}, or run npm run pictures if it is meant to look like this`
}
