/**
 * A gateway with its console, visited in a real browser. Requests to other origins, policy violations and console
 * errors fail every test.
 */
import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Locator, Page } from 'playwright-core'
import { mintToken, readJwtSecret } from '../../src/config/secrets.ts'
import { missingChromium, openBrowser } from '../support/browser.ts'
import { buildConsole } from '../support/console-build.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, type Gateway, type GatewayOptions, startGateway } from '../support/gateway.ts'
import { type SharedGateway, shared } from '../support/shared-gateway.ts'
import { until } from '../support/until.ts'
import { TEXTS } from './texts.ts'

/** Every page except the message page, which needs an id. */
export const PAGES = [
  ['/', TEXTS.pages.overview],
  ['/messages', TEXTS.pages.messages],
  ['/dead-letters', TEXTS.pages.deadLetters],
  ['/providers', TEXTS.pages.providers],
  ['/send', TEXTS.pages.send],
  ['/send/bulk', TEXTS.pages.bulk],
  ['/usage', TEXTS.pages.usage],
  ['/routes', TEXTS.pages.routes],
  ['/limits', TEXTS.pages.limits],
  ['/templates', TEXTS.pages.templates],
  ['/recipients', TEXTS.pages.recipients],
  ['/suppressions', TEXTS.pages.suppressions],
  ['/webhooks', TEXTS.pages.webhooks],
  ['/users', TEXTS.pages.users],
  ['/simulator', TEXTS.pages.simulator],
] as const

export type VisitOptions = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'bypassCSP'> &
  Readonly<{
    /** Below /console; the list of messages by default. */
    path?: string
    /** A page of the gateway outside the console, instead of `path`; it gets no token. */
    outside?: string
    /** Null for none; the gateway's own token by default. */
    token?: string | null
    /** Console errors to ignore, such as an expected 401 response. */
    expected?: RegExp
  }>

export type Site = Readonly<{
  gateway: SharedGateway
  browser: Browser
  /** A token of the gateway's tenant with these scopes, in test mode or in live mode. */
  tokenFor: (scopes: readonly string[], options?: Readonly<{ test?: boolean }>) => Promise<string>
  /** Opens the page in a browser that has stored nothing, and closes it after `act`. */
  visit: (options: VisitOptions, act: (page: Page) => Promise<void>) => Promise<void>
}>

export const PHONE = { width: 360, height: 740 }
export const DESK = { width: 1280, height: 800 }
/** Of the whole suite, and of a step of it: far more than it takes, since the machine may be busy. */
const [SUITE_MS, STEP_MS] = [600_000, 30_000]

const CLAIMS = { tenantId: 'demo', accountId: 'default', expiresInSeconds: 3_600 }

/** Tests that share one gateway and one browser. */
export function describeConsole(
  what: string,
  tests: (site: Site) => void,
  options: Pick<GatewayOptions, 'config' | 'env'> = {},
): void {
  describe(what, { skip: missingChromium() ?? false, timeout: SUITE_MS }, () => {
    const opened = new AsyncDisposableStack()
    let [gateway, browser]: [SharedGateway?, Browser?] = []
    const kept: Kept = new Map()
    let secret: () => Uint8Array = () => new Uint8Array()
    before(async () => {
      buildConsole()
      const folder = opened.use(await openFolder())
      const started = opened.use(await startGateway({ folder: folder.path, ...options }))
      secret = () => defined(readJwtSecret({ dataDir: dataDirOf(folder.path) }))
      gateway = shared(started, secret)
      browser = await openBrowser()
      opened.defer(() => browser?.close())
    })
    after(() => opened.disposeAsync())
    tests({
      get gateway() {
        return defined(gateway)
      },
      get browser() {
        return defined(browser)
      },
      tokenFor: (scopes, options) => mintToken(secret(), { ...CLAIMS, ...options, scopes }),
      visit: (visit, act) => visitPage({ gateway: defined(gateway), browser: defined(browser), kept }, visit, act),
    })
  })
}

function defined<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the gateway and the browser are available inside tests only')
  return value
}

/** Browser contexts between visits, by their options. Their caches make pages load in a fraction of the time. */
type Kept = Map<string, BrowserContext>
type Visited = Readonly<{ gateway: Gateway; browser: Browser; kept: Kept }>

async function visitPage(
  { gateway: { url, token: own }, browser, kept }: Visited,
  { path = '/messages', outside, token = outside === undefined ? own : null, expected, ...options }: VisitOptions,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const key = JSON.stringify(options)
  const context = kept.get(key) ?? (await browser.newContext({ viewport: DESK, reducedMotion: 'reduce', ...options }))
  // Another visit at the same time has its own, and so has the next one after a failure.
  kept.delete(key)
  await using opened = new AsyncDisposableStack()
  opened.defer(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(STEP_MS)
  const seen = watch(page, url)
  await page.goto(outside === undefined ? addressOf(url, path, token) : url + outside)
  // A test that goes on before the link is adopted would lose its token.
  if (token !== null) await until('the console to adopt the link', () => page.evaluate<boolean>(IS_DECIDED))
  await act(page).catch((error) => withPageText(page, error))
  assert.deepEqual([...seen.foreignRequests], [], 'no requests to other origins')
  assert.deepEqual(
    seen.consoleErrors.filter((consoleError) => expected?.test(consoleError) !== true),
    [],
  )
  await forget(context, page, url)
  kept.set(key, context)
  opened.move()
}

/** Closes its pages, and deletes what they have stored. */
async function forget(context: BrowserContext, page: Page, origin: string): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,cookies' })
  await context.clearPermissions()
  for (const one of context.pages()) await one.close()
}

/** Whether the console has adopted the token of its link, or shows what to do about it. */
const IS_DECIDED = `sessionStorage.getItem('pombo.token') !== null ||
  document.querySelector('form, [role=alert], dialog') !== null`

/** The link that `pombo serve` prints. */
export const addressOf = (url: string, path: string, token: string | null): string =>
  `${url}/console${path}${token === null ? '' : `#token=${token}`}`

type Watched = Readonly<{ foreignRequests: ReadonlySet<string>; consoleErrors: readonly string[] }>

/** Records requests to other origins and console errors. */
function watch(page: Page, url: string): Watched {
  const [foreignRequests, consoleErrors]: [Set<string>, string[]] = [new Set(), []]
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${url}/`) || /^(data|blob|about):/.test(request.url())
    if (!isOwn) foreignRequests.add(request.url())
  })
  page.on('requestfailed', (request) => {
    // The policy blocked it, so it never left the browser.
    if (request.failure()?.errorText === 'csp' && foreignRequests.delete(request.url()))
      consoleErrors.push(`the policy blocked ${request.url()}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') consoleErrors.push(toConsoleError(message))
  })
  page.on('pageerror', (error) => consoleErrors.push(`threw ${error.message}`))
  return { foreignRequests, consoleErrors }
}

/** Includes policy violations. */
const toConsoleError = (message: ConsoleMessage): string => `${message.text()} (${message.location().url})`

/** Adds the text of the page to the error of a failed test. */
async function withPageText(page: Page, cause: Error): Promise<never> {
  const text = await page
    .locator('body')
    .innerText({ timeout: 1_000 })
    .catch(() => 'nothing')
  throw new Error(`${cause.message}\n\nat ${page.url().replace(/#.*/, '')} the page showed:\n${text}`, { cause })
}

/** Waits until the page has loaded its data. */
export async function untilShown(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.getByText(TEXTS.common.loading, { exact: true }).first().waitFor({ state: 'hidden' })
}

/** Chooses an option of a select of ours; `within` is a page or one of its parts. */
export async function choose(within: Page | Locator, label: string, option: string): Promise<void> {
  const page = 'page' in within && typeof within.page === 'function' ? within.page() : (within as Page)
  await within.getByRole('button', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}

/** Chooses an action of the menu on the page of a message. */
export async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: TEXTS.message.actions.more, exact: true }).click()
  await page.getByRole('menuitem', { name }).click()
}

/** Opens the editor of a filter that is not active yet. */
export async function addFilter(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: TEXTS.common.filters.action, exact: true }).click()
  await page.getByRole('option', { name, exact: true }).click()
}
