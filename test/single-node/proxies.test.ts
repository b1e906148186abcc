/** The proxy configurations of `pombo init`, with the nginx and the Caddy of Debian in front of a real gateway. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:https'
import { after, before, describe, type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { openCookieBrowser } from '../support/cookie-jar.ts'
import { subscribe } from '../support/events.ts'
import { openFolder } from '../support/folder.ts'
import { freePorts } from '../support/free-port.ts'
import { callerOf, startGateway } from '../support/gateway.ts'
import { selfSigned } from '../support/self-signed.ts'
import { skipUnavailable } from '../support/skip.ts'
import { until } from '../support/until.ts'
import { missingPrograms } from './programs.ts'
import { type ProxyKind, type Site, startProxy } from './reverse-proxy.ts'

const opened = new AsyncDisposableStack()
after(() => opened.disposeAsync())

const [port = 0, publicPort = 0, httpPort = 0] = await freePorts(3)
const site: Site = {
  publicUrl: new URL(`https://127.0.0.1:${publicPort}`),
  port,
  httpPort,
  certificate: selfSigned('127.0.0.1'),
}
setDefaultCACertificates([...getCACertificates('default'), site.certificate.cert])
const url = site.publicUrl.origin
const folder = opened.use(await openFolder())
const env = { POMBO_PORT: String(port), POMBO_PUBLIC_URL: url, POMBO_TRUSTED_PROXIES: '127.0.0.1,::1' }
const gateway = opened.use(await startGateway({ folder: folder.path, env }))

const sms = () => ({ to: '+15005550100', message: 'Hello', idempotency_key: randomUUID() })

for (const kind of ['nginx', 'caddy'] as const) {
  describe(kind, () => {
    const missing = missingPrograms(kind)
    let proxy: AsyncDisposable | undefined
    before(async () => {
      if (missing === undefined) proxy = await startProxy(kind, site)
    })
    after(() => proxy?.[Symbol.asyncDispose]())
    const on = (name: string, act: () => Promise<void>): void =>
      void test(name, { timeout: 20_000 }, (t: TestContext) =>
        missing === undefined ? act() : skipUnavailable(t, missing),
      )
    proxyContract(kind, on)
  })
}

type On = (name: string, act: () => Promise<void>) => void

function proxyContract(kind: ProxyKind, on: On): void {
  const call = callerOf(url, gateway.token)

  on('passes calls on through TLS', async () => {
    const { status, headers } = await call('POST', '/v1/sms/send', sms())
    assert.equal(status, 202)
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000')
  })

  on('passes events on as they happen', async () => {
    await using events = await subscribe({ url, token: gateway.token })
    const { body } = await call<{ id: string }>('POST', '/v1/sms/send', sms())
    // Sooner than the heartbeat that would push them out of a buffer.
    await until('an event', () => events.received.some(({ data }) => data.includes(body.id)), { withinMs: 5_000 })
  })

  on('tells the gateway who calls, whatever the client says', async () => {
    const name = randomUUID()
    const body = JSON.stringify({ name, scopes: ['sms:send'] })
    const status = await postFrom('127.0.0.2', '/v1/api-keys', body, { 'x-forwarded-for': '203.0.113.7' })
    assert.equal(status, 201)
    const audit = await call<{ items: readonly Readonly<{ address: string }>[] }>('GET', '/v1/audit')
    assert.ok(JSON.stringify(audit.body.items[0]).includes(name))
    assert.equal(audit.body.items[0]?.address, '127.0.0.2')
  })

  on('leaves it to the gateway to refuse 10 MB', async () => {
    const html = 'x'.repeat(10_000_000)
    const { status, body } = await call('POST', '/v1/email/send', { to: 'ana@example.com', subject: 'x', html })
    assert.deepEqual([status, (body as { error_code?: string }).error_code], [413, 'PAYLOAD_TOO_LARGE'])
  })

  on('lets people sign in to the console, and no other site', async () => {
    assert.equal((await fetch(`${url}/console/`)).status, 200)
    const email = `${randomUUID()}@example.com`
    const invited = await call<{ invitation: { url: string } }>('POST', '/v1/users', { email, role: 'viewer' })
    const [link, token] = invited.body.invitation.url.split('#invitation=')
    assert.ok(link?.startsWith(`${url}/console/`))
    const browser = openCookieBrowser()
    const accept = (origin: string) =>
      browser.call('POST', `${url}/v1/session/accept-invitation`, { token, password: PASSWORD }, { origin })
    assert.equal((await accept('https://elsewhere.example')).status, 403)
    assert.equal((await accept(url)).status, 200)
    const answer = await browser.call('POST', `${url}/v1/session`, { email, password: PASSWORD }, { origin: url })
    assert.equal(answer.status, 200, answer.text)
    assert.match(answer.headers.getSetCookie().join(), /^__Host-\S+; .*Secure/)
    assert.equal((await browser.call('GET', `${url}/v1/messages`)).status, 200)
  })

  on('keeps the metrics inside', async () => {
    assert.equal((await fetch(`${url}/metrics`)).status, 404)
    assert.equal((await fetch(`${gateway.url}/metrics`)).status, 200)
  })

  if (kind === 'nginx') {
    on('sends http to https', async () => {
      const answer = await fetch(`http://127.0.0.1:${httpPort}/docs?a=b`, { redirect: 'manual' })
      assert.deepEqual([answer.status, answer.headers.get('location')], [308, `${url}/docs?a=b`])
    })
    on('slows down calls without credentials', async () => {
      const answers = await Promise.all(Array.from({ length: 80 }, () => fetch(`${url}/openapi.json`)))
      const statuses = new Set(answers.map(({ status }) => status))
      assert.deepEqual([...statuses].toSorted(), [200, 429])
    })
  }
}

const PASSWORD = 'four words are easy'

/** From another address of this machine than the proxy has. */
function postFrom(address: string, path: string, body: string, headers: Readonly<Record<string, string>>) {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const all = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json', ...headers }
  const options = {
    method: 'POST',
    localAddress: address,
    headers: { ...all, 'content-length': Buffer.byteLength(body) },
  }
  const sent = request(`${url}${path}`, options, (answer) => {
    answer.resume()
    resolve(answer.statusCode)
  })
  sent.once('error', reject)
  sent.end(body)
  return promise
}
