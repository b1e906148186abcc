/** People over HTTP: the first operator, sessions, invitations, and an identity provider. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Ended } from '../support/command.ts'
import { type CookieBrowser, openCookieBrowser, type Visited } from '../support/cookie-jar.ts'
import { callerOf } from '../support/gateway.ts'
import type { Person, TestIdentityProvider } from '../support/identity-provider.ts'
import { until } from '../support/until.ts'

export type PeopleSite = Readonly<{
  /** The processes of the gateway; in the embedded profile there is one. */
  urls: readonly string[]
  /** A token of an operator. */
  token: string
  publicUrl: string
  idp: TestIdentityProvider
  /** Runs a command with the settings of the gateway. */
  run: (args: readonly string[]) => Promise<Ended>
}>

const PASSWORD = 'four words are easy'
/** Ending a session, or disabling a user, takes effect in every process within this time. */
const WITHIN_MS = 1_000

export function peopleContract({ urls, token, publicUrl, idp, run }: PeopleSite): void {
  const [here = ''] = urls
  const there = urls.at(-1) ?? here
  const call = callerOf(here, token)

  type Invited = Readonly<{ user: Readonly<{ id: string }>; invitation: Readonly<{ url: string }> }>

  async function invite(role: string) {
    const email = `${randomUUID()}@example.com`
    const { status, body, text } = await call<Invited>('POST', '/v1/users', { email, role })
    assert.equal(status, 201, text)
    return { email, id: body.user.id, token: tokenIn(body.invitation.url) }
  }

  /** Somebody who has accepted an invitation and is signed in. */
  async function join(role: string) {
    const user = await invite(role)
    const browser = openCookieBrowser()
    const session = await accept(browser, user.token)
    return { ...user, browser, csrf: csrfIn(session) }
  }

  async function accept(browser: CookieBrowser, invitation: string, password = PASSWORD): Promise<Visited> {
    const body = { token: invitation, password }
    const answer = await browser.call('POST', `${here}/v1/session/accept-invitation`, body)
    assert.equal(answer.status, 200, answer.text)
    return answer
  }

  const signIn = (browser: CookieBrowser, email: string, password = PASSWORD, at = here): Promise<Visited> =>
    browser.call('POST', `${at}/v1/session`, { email, password })

  /** The role of whoever is signed in, as a process sees it. */
  async function roleAt(browser: CookieBrowser, url: string): Promise<string | undefined> {
    const { json } = await browser.call('GET', `${url}/v1/session`)
    return (json as { user: { role: string } | null }).user?.role
  }

  const mayRead = async (browser: CookieBrowser, url: string): Promise<boolean> =>
    (await browser.call('GET', `${url}/v1/messages`)).status === 200

  /** How long it takes until another process refuses the session. */
  async function endedAfter(browser: CookieBrowser, end: () => Promise<unknown>): Promise<number> {
    assert.equal(await mayRead(browser, there), true)
    await end()
    const endedAt = performance.now()
    await until('the session to end', async () => !(await mayRead(browser, there)), { everyMs: 10 })
    return performance.now() - endedAt
  }

  test('the command line creates the first operator, who sets a password and does what operators do', async () => {
    const email = `${randomUUID()}@example.com`
    const created = await run(['users', 'create', '--email', email, '--role', 'operator'])
    assert.equal(created.code, 0, created.err)
    assert.match(created.out, /^http\S+\/console\/accept-invitation#invitation=\S+\n$/)
    const browser = openCookieBrowser()
    const csrf = csrfIn(await accept(browser, tokenIn(created.out.trim())))
    assert.equal(await roleAt(browser, there), 'operator')

    const [name, cookie] = [...browser.cookies][0] ?? []
    assert.equal(name, 'pombo_session')
    assert.match(cookie ?? '', /^[\w-]{43}\.[\w-]{43}$/)
    const user = { email: `${randomUUID()}@example.com`, role: 'operator' }
    assert.equal((await browser.call('POST', `${there}/v1/users`, user)).status, 403)
    assert.equal((await browser.call('POST', `${there}/v1/users`, user, { 'x-csrf-token': csrf })).status, 201)
    const foreign = { 'x-csrf-token': csrf, origin: 'https://evil.example' }
    assert.equal((await browser.call('DELETE', `${there}/v1/session`, undefined, foreign)).status, 403)
    const signedOut = await browser.call('DELETE', `${there}/v1/session`, undefined, { 'x-csrf-token': csrf })
    assert.deepEqual([signedOut.status, browser.cookies.size], [204, 0])
  })

  test('signing in anew works in every process, with a new cookie each time', async () => {
    const { email, browser } = await join('support')
    const [first] = browser.cookies.values()
    const again = openCookieBrowser()
    assert.equal((await signIn(again, email, 'wrong words')).status, 401)
    assert.equal((await signIn(again, email)).status, 200)
    assert.notEqual([...again.cookies.values()][0], first)
    for (const url of urls) assert.equal(await roleAt(again, url), 'support')
    assert.equal(await mayRead(browser, there), true)
  })

  test('a session that was ended, and a user who was demoted, disabled or removed, are out everywhere in a second', async () => {
    const signedOut = await join('viewer')
    const headers = { 'x-csrf-token': signedOut.csrf }
    const kept = openCookieBrowser()
    for (const [name, value] of signedOut.browser.cookies) kept.setCookie(name, value)
    const times = [
      await endedAfter(kept, () => signedOut.browser.call('DELETE', `${here}/v1/session`, undefined, headers)),
    ]
    for (const [method, body] of [
      ['PATCH', { role: 'viewer' }],
      ['PATCH', { state: 'disabled' }],
      ['DELETE', undefined],
    ] as const) {
      const { id, browser } = await join('support')
      times.push(await endedAfter(browser, () => call(method, `/v1/users/${id}`, body)))
    }
    assert.ok(Math.max(...times) <= WITHIN_MS, `took ${times.map(Math.round)} ms`)
  })

  test('people of a suspended tenant are out, and cannot come back', async () => {
    const tenant = `t-${randomUUID()}`
    const named = { 'pombo-tenant': tenant }
    assert.equal((await call('POST', '/v1/tenants', { id: tenant })).status, 201)
    const email = `${randomUUID()}@example.com`
    const { body } = await call<Invited>('POST', '/v1/users', { email, role: 'admin' }, named)
    const browser = openCookieBrowser()
    await accept(browser, tokenIn(body.invitation.url))
    const suspend = () => call('PATCH', `/v1/tenants/${tenant}`, { state: 'suspended' })
    assert.ok((await endedAfter(browser, suspend)) <= WITHIN_MS)
    const refused = await signIn(openCookieBrowser(), email)
    assert.deepEqual([refused.status, refused.headers.get('set-cookie')], [403, null], refused.text)
    assert.equal((await call('PATCH', `/v1/tenants/${tenant}`, { state: 'active' })).status, 200)
    await until('the tenant to be back', () => mayRead(browser, there))
  })

  test('guesses are slowed down, and those who know the password get in afterwards', async () => {
    const { email } = await join('viewer')
    const browser = openCookieBrowser()
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => signIn(browser, email, `guess ${index}`)))
    const refused = answers.filter(({ status }) => status === 429)
    assert.equal(refused.length, 3)
    for (const { headers } of refused) assert.match(headers.get('retry-after') ?? '', /^[1-9]/)
    await until('the wait to pass', async () => (await signIn(browser, email)).status === 200, { everyMs: 250 })
  })

  test('a lost password is replaced by the command line, and all sessions end', async () => {
    const { email, browser } = await join('viewer')
    const invited = await run(['users', 'invite', email])
    assert.equal(invited.code, 0, invited.err)
    const other = openCookieBrowser()
    await accept(other, tokenIn(invited.out.trim()), 'five words are easier')
    await until('the session to end', async () => !(await mayRead(browser, there)))
    assert.equal((await signIn(other, email)).status, 401)
    assert.equal((await signIn(other, email, 'five words are easier', there)).status, 200)
  })

  /** Goes to the provider and back, to a process that may be another one. */
  async function signInWith(person: Person | undefined, browser = openCookieBrowser(), back = there): Promise<Visited> {
    idp.be(person)
    return await browser.visit((await comeBack(browser)).replace(publicUrl, back), 0)
  }

  /** Where the provider sends the browser. */
  async function comeBack(browser: CookieBrowser): Promise<string> {
    let next = `${here}/v1/session/oidc`
    while (!next.startsWith(`${publicUrl}/`) || next === `${publicUrl}/v1/session/oidc`) {
      const visited = await browser.visit(next, 0)
      next = new URL(visited.headers.get('location') ?? 'missing', visited.url).href
    }
    return next
  }

  const somebody = (role?: string): Person => {
    const sub = randomUUID()
    return {
      sub,
      email: `${sub}@example.com`,
      email_verified: true,
      pombo_tenant: 'acme',
      ...(role && { pombo_role: role }),
    }
  }

  test('the identity provider decides who gets in, with which role and tenant', async () => {
    const browser = openCookieBrowser()
    const person = somebody('support')
    const answer = await signInWith(person, browser)
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, `${publicUrl}/console/`], answer.text)
    const session = (await browser.call('GET', `${here}/v1/session`)).json as Record<string, unknown>
    assert.equal(session['tenant_id'], 'acme')
    assert.equal(await roleAt(browser, there), 'support')

    await signInWith({ ...person, pombo_role: ['viewer'] })
    await until('the earlier session to end', async () => !(await mayRead(browser, here)))
    const without = await signInWith(somebody())
    assert.equal(without.status, 403)
    assert.match(without.text, /It did not give you a role/)
    const refused = await signInWith(undefined)
    assert.equal(refused.status, 403)
    assert.doesNotMatch(refused.text, /script/)
  })

  test('an answer of the provider works once, in the browser that asked for it', async () => {
    const browser = openCookieBrowser()
    idp.be(somebody('viewer'))
    const url = (await comeBack(browser)).replace(publicUrl, there)
    const cookie = browser.cookies.get('pombo_oidc') ?? ''
    assert.equal((await openCookieBrowser().visit(url, 0)).status, 403)
    const changed = new URL(url)
    changed.searchParams.set('state', 'another')
    const forging = openCookieBrowser()
    forging.setCookie('pombo_oidc', cookie)
    assert.equal((await forging.visit(changed.href, 0)).status, 403)
    assert.equal((await browser.visit(url, 0)).status, 303)
    assert.equal((await browser.visit(url, 0)).status, 403)
    browser.setCookie('pombo_oidc', cookie)
    const replayed = await browser.visit(url, 0)
    assert.deepEqual(
      [replayed.status, replayed.headers.getSetCookie().some((one) => one.startsWith('pombo_session'))],
      [403, false],
    )
  })
}

const tokenIn = (link: string): string => link.split('#invitation=')[1] ?? ''
const csrfIn = ({ json }: Visited): string => (json as { csrf_token: string }).csrf_token
