import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { send } from '../support/sms.ts'
import { addressOf, describeConsole, PAGES, untilShown } from './console.fixture.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.signIn
/** Names of buttons that change something. */
const CHANGES = /\b(resend|erase|resolve|replay|trip|reset|add|edit|enable|disable|remove|import|rotate|save|send)\b/i
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

async function signInWith(page: Page, token: string): Promise<void> {
  const field = page.getByLabel(T.token)
  if (!(await field.isVisible())) await page.getByText(T.useToken).click()
  await field.fill(token)
  await page.getByRole('button', { name: T.tokenAction }).click()
}

describeConsole('signing in', (site) => {
  test('signs in with a token, and out', () =>
    site.visit({ token: null }, async (page) => {
      await heading(page, T.title).waitFor()
      await signInWith(page, site.gateway.token)
      await heading(page, TEXTS.pages.messages).waitFor()
      await page.getByRole('button', { name: TEXTS.app.signOut }).click()
      await heading(page, T.title).waitFor()
      await page.reload()
      await heading(page, T.title).waitFor()
    }))

  test('signs in by link, removes the token from the URL, and keeps it in the tab only', () =>
    site.visit({ path: '/providers' }, async (page) => {
      await heading(page, TEXTS.pages.providers).waitFor()
      assert.equal(page.url(), addressOf(site.gateway.url, '/providers', null))
      await page.reload()
      await heading(page, TEXTS.pages.providers).waitFor()
      assert.equal(await page.evaluate('JSON.stringify(localStorage)'), '{}')
      assert.deepEqual(await page.context().cookies(), [])
    }))

  test('a link asks before it takes the place of somebody whom the gateway could not name', async () => {
    const failures = [
      (route: Route) => route.fulfill({ status: 503, body: '' }),
      (route: Route) => route.fulfill({ status: 403, body: '' }),
      (route: Route) => route.abort(),
    ]
    for (const fail of failures) {
      await site.visit({ token: null, expected: /status of (403|503)|ERR_FAILED/ }, async (page) => {
        await heading(page, T.title).waitFor()
        const open = async (): Promise<void> => {
          await page.goto('about:blank')
          await page.goto(addressOf(site.gateway.url, '/messages', site.gateway.token))
          await page.getByRole('dialog').getByText(T.offer.aboutUnknown('demo')).waitFor()
        }
        await page.route('**/v1/session', fail)
        await open()
        assert.equal(page.url(), addressOf(site.gateway.url, '/messages', null))
        assert.equal(await page.evaluate('JSON.stringify(sessionStorage)'), '{}')
        await page.getByRole('dialog').getByRole('button', { name: TEXTS.common.cancel }).click()
        await heading(page, T.title).waitFor()
        await open()
        await page.getByRole('dialog').getByRole('button', { name: T.offer.action }).click()
        await heading(page, TEXTS.pages.messages).waitFor()
      })
    }
  })

  test('rejects an invalid token and a token of another gateway', () =>
    site.visit({ token: null, expected: /status of 401/ }, async (page) => {
      await signInWith(page, 'swordfish')
      await page.getByText(T.noToken).waitFor()
      const [head, payload] = site.gateway.token.split('.')
      await signInWith(page, `${head}.${payload}.${Buffer.from('another gateway').toString('base64url')}`)
      await page.getByText(T.refused).waitFor()
      await heading(page, T.title).waitFor()
    }))

  test('reports an unreachable gateway, and accepts a token with its Bearer prefix', () =>
    site.visit({ token: null, expected: /ERR_FAILED/ }, async (page) => {
      await page.getByText(T.useToken).waitFor()
      await page.route('**/v1/session', (route) => route.abort())
      await signInWith(page, site.gateway.token)
      await page.getByText(TEXTS.common.unreachable).waitFor()
      await page.unroute('**/v1/session')
      await page.getByLabel(T.token).fill(`Bearer ${site.gateway.token}`)
      assert.equal(await page.getByLabel(T.token).getAttribute('type'), 'password')
      await page.locator('details').getByLabel(T.show).click()
      assert.equal(await page.getByLabel(T.token).getAttribute('type'), 'text')
      await page.getByLabel(T.token).press('Enter')
      await heading(page, TEXTS.pages.messages).waitFor()
    }))

  test('asks for a new token when the gateway rejects it, and says why', async () => {
    for (const [exp, words] of [
      [4_000_000_000, T.endings.refused],
      [1_000_000_000, T.endings.expired],
    ] as const) {
      await site.visit({ token: unsignedToken(exp), expected: /status of 401/ }, async (page) => {
        await heading(page, T.title).waitFor()
        await page.getByRole('alert').getByText(words).waitFor()
        assert.equal(await page.evaluate('JSON.stringify(sessionStorage)'), '{}')
      })
    }
  })

  test('works with a token that cannot read, without retrying the event stream', async () => {
    const token = await site.tokenFor(['sms:send'])
    await site.visit({ token: null, expected: /status of 403/ }, async (page) => {
      await signInWith(page, token)
      await page.getByText(TEXTS.app.forbidden).waitFor()
      assert.equal(await page.getByText(TEXTS.app.gone).count(), 0)
    })
  })

  test('shares the session with a new tab without storing it, and signs out both', () =>
    site.visit({}, async (page) => {
      const limits = page.getByRole('link', { name: TEXTS.pages.limits })
      const opened = page.context().waitForEvent('page')
      await limits.click({ modifiers: ['ControlOrMeta'] })
      const tab = await opened
      await heading(tab, TEXTS.pages.limits).waitFor()
      assert.equal(await tab.evaluate('JSON.stringify(localStorage)'), '{}')
      assert.deepEqual(await tab.context().cookies(), [])
      await tab.getByRole('button', { name: TEXTS.app.signOut }).click()
      await heading(page, T.title).waitFor()
      assert.equal(await page.getByRole('alert').count(), 0)
    }))

  test('a read-only token sees every page and no action that changes anything', async () => {
    const id = await send(site.gateway)
    const token = await site.tokenFor(['messages:read'])
    await site.visit({ token }, async (page) => {
      const offered: string[] = []
      for (const path of [...PAGES.map(([one]) => one), `/messages/${id}`]) {
        await page.goto(addressOf(site.gateway.url, path, null))
        await untilShown(page)
        assert.equal(await page.getByRole('alert').count(), 0, path)
        const names = await page.getByRole('button', { name: CHANGES, disabled: false }).allInnerTexts()
        offered.push(...names.map((name) => `${path} ${name}`))
      }
      assert.deepEqual(offered, [])
    })
  })

  test('serves a Content-Security-Policy that only allows its own origin', async () => {
    const { headers } = await fetch(addressOf(site.gateway.url, '/messages', null))
    const policy = new Map(
      (headers.get('content-security-policy') ?? '').split('; ').map((line): [string, string] => {
        const [name = '', ...sources] = line.split(' ')
        return [name, sources.join(' ')]
      }),
    )
    assert.equal(policy.get('default-src'), "'none'")
    for (const name of ['script-src', 'style-src', 'connect-src', 'font-src'])
      assert.equal(policy.get(name), "'self'", name)
    for (const name of ['base-uri', 'form-action', 'frame-ancestors']) assert.equal(policy.get(name), "'none'", name)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
  })

  test('the policy blocks inline scripts, inline styles and other origins', () =>
    site.visit({ expected: /Content Security Policy/ }, async (page) => {
      await heading(page, TEXTS.pages.messages).waitFor()
      const broken = await page.evaluate<readonly string[]>(`(async () => {
        const seen = []
        document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective))
        for (const [name, text] of [['script', 'window.wasRun = true'], ['style', 'body { margin: 7px }']])
          document.head.append(Object.assign(document.createElement(name), { textContent: text }))
        await fetch('https://elsewhere.example/').catch(() => undefined)
        await new Promise((resolve) => setTimeout(resolve))
        return [...seen, String(window.wasRun), getComputedStyle(document.body).margin]
      })()`)
      assert.deepEqual(broken, ['script-src-elem', 'style-src-elem', 'connect-src', 'undefined', '0px'])
    }))
})

/** A token with valid claims and an invalid signature. */
function unsignedToken(exp: number): string {
  const part = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url')
  const claims = { tenant_id: 'demo', account_id: 'default', scope: 'admin', exp }
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}.${part({ signature: 'invalid' })}`
}
