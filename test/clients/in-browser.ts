/** The Node client in Chromium, on a page that has the gateway's origin. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import type { NodeClient } from './node-client.ts'
import type { World } from './world.ts'

/** What the page saw. */
export type Seen = Readonly<{
  status: string
  listed: boolean
  streamed: string
  verified: string
  refused: string
  code: string
}>

const PAGE = '/app/index.html'
const MODULES = '/app/dist/'

export async function runInBrowser(client: NodeClient, { gateway }: World): Promise<Seen> {
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    await serveClient(page, client, gateway.url)
    await page.goto(`${gateway.url}${PAGE}`)
    return await page.evaluate<Seen>(`(${PROGRAM})(${JSON.stringify(gateway.token)})`)
  } finally {
    await browser.close()
  }
}

/** As a reverse proxy would that serves a page beside the gateway; all other calls reach the gateway. */
async function serveClient(page: Page, { home }: NodeClient, origin: string): Promise<void> {
  await page.route(`${origin}${PAGE}`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.route(`${origin}${MODULES}**`, (route) => {
    const path = new URL(route.request().url()).pathname.slice(MODULES.length)
    const body = readFileSync(join(home, 'node_modules/pombo-client/dist', path))
    return route.fulfill({ contentType: 'text/javascript', body })
  })
}

/** Runs in the page. The signature is made with the browser's own HMAC. */
const PROGRAM = `async (key) => {
  const { Pombo, PomboError, verifyWebhook } = await import('${MODULES}index.js')
  const pombo = new Pombo({ url: location.origin, key })
  const { id } = await pombo.sms.send({ to: '+15557000001', message: 'Hi' })
  const { status } = await pombo.messages.waitFor(id, 'delivered')
  let listed = false
  for await (const message of pombo.messages.list()) listed ||= message.id === id
  let streamed = ''
  for await (const { data } of pombo.events.stream({ message_id: id, lastEventId: '0' })) {
    streamed = data.newStatus
    if (streamed === 'delivered') break
  }
  const secret = new TextEncoder().encode('a secret of the test')
  const [text, now] = [JSON.stringify({ type: 'message.sent', data: {} }), Math.floor(Date.now() / 1000)]
  const hmac = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signed = await crypto.subtle.sign('HMAC', hmac, new TextEncoder().encode(\`evt_1.\${now}.\${text}\`))
  const signature = 'v1,' + btoa(String.fromCharCode(...new Uint8Array(signed)))
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(now), 'webhook-signature': signature }
  const whsec = 'whsec_' + btoa('a secret of the test')
  const { type: verified } = await verifyWebhook(text, headers, whsec)
  const refused = await verifyWebhook(text + ' ', headers, whsec).catch(({ name }) => name)
  const code = await pombo.sms.send({ to: 'nobody' }).catch((error) => error instanceof PomboError && error.code)
  return { status, listed, streamed, verified, refused, code }
}`
