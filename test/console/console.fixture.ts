/**
 * A gateway with its console, and visits to it in a real browser. Every visit is watched: whatever a page asks of
 * another origin, whatever its policy forbids and whatever it complains of fails the test, whether it was about that
 * or not.
 */
import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import type { Browser, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core'
import { TEXTS } from '../../console/src/texts.ts'
import { mintToken, readJwtSecret } from '../../src/config/secrets.ts'
import { missingChromium, openBrowser } from '../support/browser.ts'
import { buildConsole } from '../support/console-build.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, type Gateway, type GatewayOptions, startGateway } from '../support/gateway.ts'
import { type SharedGateway, shared } from '../support/shared-gateway.ts'

/** Every page but that of one message, which needs one. */
export const PAGES = [
  ['/', TEXTS.pages.overview],
  ['/messages', TEXTS.pages.messages],
  ['/dead-letters', TEXTS.pages.deadLetters],
  ['/providers', TEXTS.pages.providers],
  ['/routes', TEXTS.pages.routes],
  ['/limits', TEXTS.pages.limits],
  ['/templates', TEXTS.pages.templates],
  ['/recipients', TEXTS.pages.recipients],
  ['/suppressions', TEXTS.pages.suppressions],
  ['/webhooks', TEXTS.pages.webhooks],
  ['/simulator', TEXTS.pages.simulator],
] as const

export type VisitOptions = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'bypassCSP'> &
  Readonly<{
    /** Below /console; the list of messages unless told. */
    path?: string
    /** The token it comes with; null for none, the gateway's own unless told. */
    token?: string | null
    /** What the browser may complain of here, such as an answer of 401 that is wanted. */
    expected?: RegExp
  }>

export type Site = Readonly<{
  gateway: SharedGateway
  browser: Browser
  /** A token of the gateway's own tenant that may do so much. */
  tokenFor: (scopes: readonly string[]) => Promise<string>
  /** Opens the page in a browser that knows nothing, and closes it when `act` is done with it. */
  visit: (options: VisitOptions, act: (page: Page) => Promise<void>) => Promise<void>
}>

export const PHONE = { width: 360, height: 740 }
const DESK = { width: 1280, height: 800 }
/** Of the whole suite, and of a step of it: far more than it takes, since the machine may be busy. */
const [SUITE_MS, STEP_MS] = [600_000, 30_000]

const CLAIMS = { tenantId: 'demo', accountId: 'default', expiresInSeconds: 3_600 }

/** Tests of a console that share one gateway and one browser. */
export function describeConsole(
  what: string,
  tests: (site: Site) => void,
  options: Pick<GatewayOptions, 'config' | 'env'> = {},
): void {
  describe(what, { skip: missingChromium() ?? false, timeout: SUITE_MS }, () => {
    const opened = new AsyncDisposableStack()
    let [gateway, browser]: [SharedGateway?, Browser?] = []
    let secret: () => Uint8Array = () => new Uint8Array()
    before(async () => {
      buildConsole()
      const folder = opened.use(await openFolder())
      const started = opened.use(await startGateway({ folder: folder.path, ...options }))
      secret = () => there(readJwtSecret({ dataDir: dataDirOf(folder.path) }))
      gateway = shared(started, secret)
      browser = await openBrowser()
      opened.defer(() => browser?.close())
    })
    after(() => opened.disposeAsync())
    tests({
      get gateway() {
        return there(gateway)
      },
      get browser() {
        return there(browser)
      },
      tokenFor: (scopes) => mintToken(secret(), { ...CLAIMS, scopes }),
      visit: (visit, act) => visitPage(there(gateway), there(browser), visit, act),
    })
  })
}

function there<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('it is there from the first test on')
  return thing
}

async function visitPage(
  { url, token: own }: Gateway,
  browser: Browser,
  { path = '/messages', token = own, expected, ...options }: VisitOptions,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: DESK, reducedMotion: 'reduce', ...options })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(STEP_MS)
    const seen = watch(page, url)
    await page.goto(addressOf(url, path, token))
    await act(page).catch((error) => tellWhere(page, error))
    assert.deepEqual([...seen.strangers], [], 'nothing leaves for elsewhere')
    assert.deepEqual(
      seen.complaints.filter((complaint) => expected?.test(complaint) !== true),
      [],
    )
  } finally {
    await context.close()
  }
}

/** As `pombo serve` prints it. */
export const addressOf = (url: string, path: string, token: string | null): string =>
  `${url}/console${path}${token === null ? '' : `#token=${token}`}`

type Watched = Readonly<{ strangers: ReadonlySet<string>; complaints: readonly string[] }>

/** All that a page should not do, as it does it. */
function watch(page: Page, url: string): Watched {
  const [strangers, complaints]: [Set<string>, string[]] = [new Set(), []]
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${url}/`) || /^(data|blob|about):/.test(request.url())
    if (!isOwn) strangers.add(request.url())
  })
  page.on('requestfailed', (request) => {
    // Wanted, and stopped before it left.
    if (request.failure()?.errorText === 'csp' && strangers.delete(request.url()))
      complaints.push(`the policy stopped ${request.url()}`)
  })
  page.on('console', (said) => {
    if (said.type() === 'error' || said.type() === 'warning') complaints.push(toComplaint(said))
  })
  page.on('pageerror', (error) => complaints.push(`threw ${error.message}`))
  return { strangers, complaints }
}

/** What the policy forbids is such a complaint too. */
const toComplaint = (said: ConsoleMessage): string => `${said.text()} (${said.location().url})`

/** A test that fails far from a screen says what was on it. */
async function tellWhere(page: Page, cause: Error): Promise<never> {
  const text = await page
    .locator('body')
    .innerText({ timeout: 1_000 })
    .catch(() => 'nothing')
  throw new Error(`${cause.message}\n\nat ${page.url().replace(/#.*/, '')} the page said:\n${text}`, { cause })
}

/** Once the page has shown what it fetches. */
export async function untilShown(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.getByText(TEXTS.common.loading, { exact: true }).first().waitFor({ state: 'hidden' })
}
