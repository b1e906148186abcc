/** The API reference at /docs, in a real browser, and the code samples that it shows. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { openFolder } from '../support/folder.ts'
import { until } from '../support/until.ts'
import { axeFindings } from './axe.ts'
import { describeConsole, PHONE } from './console.fixture.ts'

const run = promisify(execFile)

/** The operation and its section, which Scalar makes when it comes into view. */
const SEND_SMS = '/docs#tag/sms/POST/v1/sms/send'

async function untilOpen(page: Page): Promise<void> {
  await tryIt(page).waitFor()
  await until('the colours of the theme', () => page.evaluate<boolean>(HAS_COLOURS))
}
/** Scalar chooses light or dark after its first frame. */
const HAS_COLOURS = `[...document.querySelectorAll('.operation-description p, .introduction-description-heading p')].every(
  (text) => getComputedStyle(text).color === getComputedStyle(document.body).color)`

const tryIt = (page: Page) => page.getByRole('button', { name: 'Test Request (post /v1/sms/send)' })

describeConsole('the API reference', (site) => {
  for (const [what, options] of Object.entries({
    light: { colorScheme: 'light' },
    dark: { colorScheme: 'dark' },
    'on a phone': { viewport: PHONE },
  } as const)) {
    test(`shows our name and an operation, ${what}, and the browser has nothing to complain about`, () =>
      site.visit({ outside: SEND_SMS, ...options }, async (page) => {
        await untilOpen(page)
        await page.getByRole('link', { name: 'Pombo API' }).waitFor()
        await page.getByText('Responds once the message is stored durably.').first().waitFor()
        await page.getByText(`curl '${site.gateway.url}/v1/sms/send'`).first().waitFor()
        const [width, paper] = await page.evaluate<[number, string]>(
          '[document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]',
        )
        assert.ok(width <= (page.viewportSize()?.width ?? 0), `${width} px`)
        assert.equal(paper, what === 'dark' ? 'rgb(18, 22, 24)' : 'rgb(255, 255, 255)')
      }))

    test(`is accessible, ${what}`, () =>
      site.visit({ outside: SEND_SMS, bypassCSP: true, ...options }, async (page) => {
        await untilOpen(page)
        assert.deepEqual(await axeFindings(page), [])
      }))
  }

  test('sends a request to the gateway that serves it', () =>
    site.visit({ outside: SEND_SMS }, async (page) => {
      await tryIt(page).click()
      const client = page.getByRole('dialog')
      await client.getByPlaceholder('Token').fill(site.gateway.token)
      const sent = page.waitForResponse(`${site.gateway.url}/v1/sms/send`)
      await client.getByRole('button', { name: /^Send Request/ }).click()
      const response = await sent
      assert.equal(response.status(), 202)
      await client.getByText('"accepted"').first().waitFor()
      const stored = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
      assert.ok(!stored.includes(site.gateway.token), 'the token is not stored')
    }))

  test('the samples for curl, Node and Python send an SMS', async () => {
    const { url, token, call } = site.gateway
    await using folder = await openFolder()
    const samples = await samplesOf(url)
    const env = { ...process.env, TOKEN: token }
    for (const [label, extension, command] of [
      ['curl', 'sh', 'sh'],
      ['Node', 'mjs', process.execPath],
      ...((await hasRequests()) ? [['Python', 'py', 'python3'] as const] : []),
    ] as const) {
      const key = `sample-${extension}`
      const file = join(folder.path, `sample.${extension}`)
      await writeFile(file, samples.get(label)?.replace('order-1138-shipped', key) ?? '')
      const { stdout } = await run(command, [file], { env })
      const [, id] = /\bid["']?: ?["']([0-9a-f-]{36})/.exec(stdout) ?? []
      assert.ok(id, `${label} printed ${stdout}`)
      const message = await call<{ channel: string }>('GET', `/v1/messages/${id}`)
      assert.equal(message.body.channel, 'sms')
    }
  })
})

async function samplesOf(url: string): Promise<ReadonlyMap<string, string>> {
  const text = await (await fetch(`${url}/openapi.json`)).text()
  type Sample = Readonly<{ label: string; source: string }>
  const { paths } = JSON.parse(text.replaceAll('http://localhost:8080', url))
  const samples: readonly Sample[] = paths['/v1/sms/send'].post['x-codeSamples']
  return new Map(samples.map(({ label, source }) => [label, source]))
}

/** Where Python and its package are installed. */
const hasRequests = (): Promise<boolean> =>
  run('python3', ['-c', 'import requests']).then(
    () => true,
    () => false,
  )
