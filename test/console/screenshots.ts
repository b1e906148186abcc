/**
 * `npm run screenshots`: runs the demo for some minutes, then takes a screenshot of each page into docs/images.
 * `-- --seconds N` changes the duration; `-- --only messages,message` takes only some.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { runDemo } from '../../demo/run.ts'
import { openBrowser } from '../support/browser.ts'
import { buildConsole } from '../support/console-build.ts'
import { type Call, callerOf } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { addressOf, PHONE, untilShown } from './console.fixture.ts'

const FOLDER = join(import.meta.dirname, '../../docs/images')
const DEMO_SECONDS = 420
/** Messages per second. */
const PACE = 5
const DESK = { width: 1280, height: 860 }
const LINK = /^Console\s+(http:\S+)\/console\/#token=(\S+)$/m

type Shot = Readonly<{
  name: string
  /** Some paths depend on the demo data. */
  path: string | ((call: Call) => Promise<string>)
  scheme?: 'dark'
  isPhone?: boolean
  /** The selector to scroll to. */
  at?: string
}>

const SHOTS: readonly Shot[] = [
  { name: 'overview', path: '/?range=15m' },
  { name: 'overview-dark', path: '/?range=15m', scheme: 'dark' },
  { name: 'messages', path: '/messages' },
  { name: 'messages-dark', path: '/messages', scheme: 'dark' },
  { name: 'messages-phone', path: '/messages', isPhone: true },
  { name: 'message', path: retriedMessage },
  { name: 'message-dark', path: retriedMessage, scheme: 'dark' },
  { name: 'message-phone', path: retriedMessage, isPhone: true },
  { name: 'dead-letters', path: '/dead-letters' },
  { name: 'providers', path: trippedProvider },
  { name: 'routes', path: '/routes?to=%2B15005550100' },
  { name: 'limits', path: '/limits' },
  { name: 'templates', path: someTemplate },
  { name: 'recipients', path: '/recipients' },
  { name: 'suppressions', path: '/suppressions' },
  { name: 'webhooks', path: someEndpoint },
  { name: 'send', path: '/send?to=%2B15005550100&sample=1' },
  { name: 'simulator', path: '/simulator' },
  { name: 'simulator-dark', path: '/simulator?device=mailbox', scheme: 'dark' },
  { name: 'simulator-phone', path: '/simulator', isPhone: true, at: '.devices' },
]

type Items<Item> = Readonly<{ items: readonly Readonly<Item>[] }>

async function itemsOf<Item>(call: Call, path: string): Promise<Items<Item>['items']> {
  return (await call<Items<Item>>('GET', path)).body.items
}

/** A message with several attempts that was delivered in the end. */
async function retriedMessage(call: Call): Promise<string> {
  const path = '/v1/messages?status=delivered&limit=200'
  const delivered = await itemsOf<{ id: string; attempts: number }>(call, path)
  const [message] = delivered.toSorted((one, other) => other.attempts - one.attempts)
  return `/messages/${message?.id}`
}

/** The last provider, which the demo does not need. */
async function trippedProvider(call: Call): Promise<string> {
  const providers = await itemsOf<{ name: string }>(call, '/v1/providers')
  await call('POST', `/v1/providers/${providers.at(-1)?.name}/breaker`, { action: 'trip', seconds: 30 })
  return '/providers'
}

async function someTemplate(call: Call): Promise<string> {
  const templates = await itemsOf<{ name: string; channel: string; locale: string }>(call, '/v1/templates')
  const { name = '', locale = '' } = templates.find(({ channel }) => channel === 'email') ?? {}
  return `/templates?${new URLSearchParams({ name, locale })}`
}

async function someEndpoint(call: Call): Promise<string> {
  const [endpoint] = await itemsOf<{ id: string }>(call, '/v1/endpoints')
  return `/webhooks?endpoint=${endpoint?.id}`
}

type Target = Readonly<{ url: string; token: string }>

async function take(browser: Browser, { url, token }: Target, shot: Shot): Promise<void> {
  const { name, path, scheme, isPhone, at } = shot
  const context = await browser.newContext({
    viewport: isPhone === true ? PHONE : DESK,
    colorScheme: scheme ?? 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  const where = typeof path === 'string' ? path : await path(callerOf(url, token))
  await page.goto(addressOf(url, where, token))
  await untilShown(page)
  // Charts and frames render after their data has loaded.
  await page.waitForTimeout(1_500)
  if (at !== undefined) await page.evaluate(`document.querySelector('${at}')?.scrollIntoView()`)
  await page.screenshot({ path: join(FOLDER, `console-${name}.png`) })
  await context.close()
  process.stdout.write(`console-${name}.png\n`)
}

/** Waits until the demo has run for this long. */
async function runFor(seconds: number, output: () => string): Promise<Target> {
  const [, url = '', token = ''] = await until('the demo to start', () => LINK.exec(output()) ?? undefined, {
    withinMs: 120_000,
  })
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  return { url, token }
}

async function main(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: { seconds: { type: 'string' }, only: { type: 'string' } } })
  const only = values.only?.split(',')
  buildConsole()
  mkdirSync(FOLDER, { recursive: true })
  const [stop, output]: [AbortController, string[]] = [new AbortController(), []]
  const options = { settings: { POMBO_PORT: '0' }, pace: PACE, fast: false, history: true }
  const demo = runDemo(options, (text) => output.push(text), stop.signal)
  const shots = async (): Promise<void> => {
    const target = await runFor(Number(values.seconds ?? DEMO_SECONDS), () => output.join(''))
    const browser = await openBrowser()
    for (const shot of SHOTS.filter(({ name }) => only?.includes(name) ?? true)) await take(browser, target, shot)
    await browser.close()
  }
  await Promise.race([shots(), demo.then(() => Promise.reject(new Error('the demo ended early')))])
  stop.abort()
  await demo
}

await main(process.argv.slice(2))
