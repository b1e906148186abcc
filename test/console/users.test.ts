import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { axeFindings, COLOURS } from './axe.ts'
import { addressOf, choose, describeConsole, PHONE, type Site, untilShown } from './console.fixture.ts'
import { TEXTS } from './texts.ts'

const [T, S, I, C] = [TEXTS.users, TEXTS.signIn, TEXTS.invitation, TEXTS.common]
const PASSWORD = 'four words are easy'
const WORDS_OF_401 = /status of 401/

const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true })
const dialog = (page: Page): Locator => page.getByRole('dialog')
const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name })

type Invited = Readonly<{ user: Readonly<{ id: string }>; invitation: Readonly<{ url: string }> }>

/** The address of a new user, and the link that invites it. */
async function invite({ gateway }: Site, role: string) {
  const email = `${randomUUID()}@example.com`
  const { status, body, text } = await gateway.call<Invited>('POST', '/v1/users', { email, role })
  assert.equal(status, 201, text)
  return { email, id: body.user.id, url: body.invitation.url }
}

/** A user with a password. */
async function join(site: Site, role: string) {
  const user = await invite(site, role)
  const [, token] = user.url.split('#invitation=')
  const { status } = await site.gateway.call('POST', '/v1/session/accept-invitation', { token, password: PASSWORD })
  assert.equal(status, 200)
  return user
}

async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel(S.email).fill(email)
  await page.getByLabel(S.password, { exact: true }).fill(password)
  await button(page, S.action).click()
}

describeConsole('users of the console', (site) => {
  test('sign in with a password, see who they are, and sign out every tab', async () => {
    const { email } = await join(site, 'support')
    await site.visit({ token: null, path: '/messages', expected: WORDS_OF_401 }, async (page) => {
      await signIn(page, email, 'wrong words')
      await page
        .getByRole('alert')
        .getByText(/password is wrong/)
        .waitFor()
      await signIn(page, email)
      await heading(page, TEXTS.pages.messages).waitFor()
      await page.getByText(`${T.roles.support} · demo`).waitFor()
      assert.equal(await page.evaluate('JSON.stringify(sessionStorage)'), '{}')
      const [cookie] = await page.context().cookies()
      assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ['pombo_session', true, 'Strict'])
      assert.equal(await page.evaluate('document.cookie'), '')

      const tab = await page.context().newPage()
      await tab.goto(addressOf(site.gateway.url, '/recipients', null))
      await heading(tab, TEXTS.pages.recipients).waitFor()
      await button(tab, TEXTS.app.signOut).click()
      await heading(tab, S.title).waitFor()
      await heading(page, S.title).waitFor()
      assert.equal((await page.context().cookies()).length, 0)
    })
  })

  test('make changes with the cookie, also after another tab has signed in again', async () => {
    const { email } = await join(site, 'developer')
    await site.visit({ token: null, path: '/recipients', expected: /status of 40[13]/ }, async (page) => {
      await signIn(page, email)
      await heading(page, TEXTS.pages.recipients).waitFor()
      const add = async (name: string): Promise<void> => {
        await button(page, TEXTS.recipients.add).click()
        await dialog(page).getByLabel(TEXTS.recipients.fields.name).fill(name)
        await dialog(page).getByLabel(TEXTS.recipients.fields.external_id).fill(randomUUID())
        await button(dialog(page), C.add).click()
        await page.getByText(TEXTS.recipients.added(name)).waitFor()
      }
      await add('Ana')
      const again = `fetch('/v1/session', { method: 'POST', headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: '${email}', password: '${PASSWORD}' }) }).then(({ status }) => status)`
      assert.equal(await page.evaluate(again), 200)
      await button(page, TEXTS.recipients.add).click()
      await dialog(page).getByLabel(TEXTS.recipients.fields.name).fill('Bob')
      await button(dialog(page), C.add).click()
      await dialog(page).getByRole('alert').waitFor()
      await button(dialog(page), C.add).click()
      await page.getByText(TEXTS.recipients.added('Bob')).waitFor()
    })
  })

  test('accept an invitation, change the password, and see why a used link does not work', async () => {
    const { email, url } = await invite(site, 'viewer')
    await site.visit({ token: null, expected: /status of 4(00|10)/ }, async (page) => {
      await page.goto(url)
      await page.getByText(I.about(email)).waitFor()
      await page.getByLabel(I.password).fill('short')
      await button(page, I.action).click()
      await page.getByText(/at least 12 characters/).waitFor()
      await page.getByLabel(I.password).fill(PASSWORD)
      await button(page, I.action).click()
      await page.getByText(`${T.roles.viewer} · demo`).waitFor()
      assert.equal(await page.getByRole('link', { name: TEXTS.pages.users }).count(), 0)

      await button(page, TEXTS.app.changePassword).click()
      await dialog(page).getByLabel(TEXTS.password.current).fill(PASSWORD)
      await dialog(page).getByLabel(TEXTS.password.next).fill('five words are easier')
      await button(dialog(page), TEXTS.password.action).click()
      await page.getByText(TEXTS.password.changed).waitFor()
      await page.reload()
      await page.getByText(`${T.roles.viewer} · demo`).waitFor()

      await page.goto('about:blank')
      await page.goto(url)
      await page
        .getByRole('alert')
        .getByText(/used, replaced or has expired/)
        .waitFor()
    })
  })

  test('are invited, changed and removed by an administrator, and lose their sessions', async () => {
    const [admin, bob] = [await join(site, 'admin'), await join(site, 'developer')]
    const email = `${randomUUID()}@example.com`
    await site.visit({ token: null, path: '/users' }, async (page) => {
      await signIn(page, admin.email)
      await button(page, T.invite).click()
      await dialog(page).getByLabel(T.fields.email).fill(email)
      await dialog(page).getByRole('button', { name: T.fields.role }).click()
      const roles = await page.getByRole('option').allInnerTexts()
      assert.deepEqual(roles, [T.roles.viewer, T.roles.support, T.roles.developer, T.roles.admin])
      await page.getByRole('option', { name: T.roles.support }).click()
      await button(dialog(page), T.inviteAction).click()
      const link = dialog(page).getByLabel(T.link, { exact: true })
      assert.match(await link.inputValue(), /\/console\/accept-invitation#invitation=/)
      await button(dialog(page), C.close).click()
      await page.getByRole('row', { name: email }).getByText(T.states.invited).waitFor()

      await button(page, T.changeWho(bob.email)).click()
      await choose(dialog(page), T.fields.state, T.states.disabled)
      await button(dialog(page), C.save).click()
      await page.getByRole('row', { name: bob.email }).getByText(T.states.disabled).waitFor()
      await button(page, T.removeWho(email)).click()
      await button(dialog(page), C.remove).click()
      await page.getByText(T.removed(email)).waitFor()

      const { status } = await site.gateway.call('DELETE', `/v1/users/${admin.id}`)
      assert.equal(status, 204)
    })
  })

  test('somebody whose session has ended reads so, and signs in again', async () => {
    const { email, id } = await join(site, 'viewer')
    await site.visit({ token: null, path: '/recipients', expected: WORDS_OF_401 }, async (page) => {
      await signIn(page, email)
      await heading(page, TEXTS.pages.recipients).waitFor()
      assert.equal((await site.gateway.call('PATCH', `/v1/users/${id}`, { role: 'support' })).status, 200)
      await page.getByRole('searchbox').fill('ana')
      await page.getByRole('alert').getByText(S.endings.ended).waitFor()
      await signIn(page, email)
      await page.getByText(`${T.roles.support} · demo`).waitFor()
    })
  })

  test('a link with a token asks before it takes the place of a session', async () => {
    const { email } = await join(site, 'viewer')
    const tokenOf = async (page: Page) => page.evaluate<string | null>(`sessionStorage.getItem('pombo.token')`)
    await site.visit({ token: null, path: '/messages' }, async (page) => {
      await signIn(page, email)
      await heading(page, TEXTS.pages.messages).waitFor()
      const open = async (): Promise<void> => {
        await page.goto('about:blank')
        await page.goto(addressOf(site.gateway.url, '/messages', site.gateway.token))
        await dialog(page).getByText(S.offer.about(email, 'demo')).waitFor()
      }
      await open()
      assert.equal(page.url(), addressOf(site.gateway.url, '/messages', null))
      await button(dialog(page), C.cancel).click()
      await page.getByText(`${T.roles.viewer} · demo`).waitFor()
      assert.equal(await tokenOf(page), null)
      await open()
      await button(dialog(page), S.offer.action).click()
      await page.getByText(TEXTS.app.byToken).waitFor()
      assert.equal(await tokenOf(page), site.gateway.token)
    })
  })

  test('an unattended console says that nobody made its calls', async () => {
    const { email } = await join(site, 'viewer')
    await site.visit({ token: null, path: '/recipients' }, async (page) => {
      const stream = page.waitForRequest(/v1\/events/)
      await signIn(page, email)
      assert.equal((await stream).headers()['pombo-background'], 'true')
      await heading(page, TEXTS.pages.recipients).waitFor()
      const headersOf = async (act: () => Promise<unknown>) => {
        const sent = page.waitForRequest(/v1\/providers/)
        await act()
        return (await sent).headers()
      }
      const link = page.getByRole('link', { name: TEXTS.pages.providers })
      const attended = await headersOf(() => link.click())
      assert.equal(attended['pombo-background'], undefined)
      await page.clock.install()
      await page.reload()
      await heading(page, TEXTS.pages.providers).waitFor()
      const left = await headersOf(() => page.clock.fastForward('06:00'))
      assert.equal(left['pombo-background'], 'true')
    })
  })

  test('the pages without navigation are accessible in light and dark and fit on a phone', async () => {
    const { url } = await invite(site, 'viewer')
    const options = { token: null, bypassCSP: true, colorScheme: 'light' } as const
    await site.visit({ ...options, path: '/' }, async (page) => {
      const found: string[] = []
      for (const [address, field] of [
        [addressOf(site.gateway.url, '/', null), S.email],
        [url, I.password],
      ] as const) {
        await page.goto(address)
        await page.getByLabel(field).waitFor()
        const details = page.getByText(S.useToken)
        if (await details.isVisible()) await details.click()
        found.push(...(await axeFindings(page)))
        await page.emulateMedia({ colorScheme: 'dark' })
        found.push(...(await axeFindings(page, COLOURS)))
        await page.emulateMedia({ colorScheme: 'light' })
        await page.setViewportSize(PHONE)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.width)
      }
      assert.deepEqual(found, [])
    })
  })

  test('on a phone the password is changed from the menu', async () => {
    const { email } = await join(site, 'viewer')
    await site.visit({ token: null, path: '/recipients', viewport: PHONE }, async (page) => {
      await signIn(page, email)
      await untilShown(page)
      await button(page, TEXTS.app.openMenu).click()
      await button(page, TEXTS.app.changePassword).click()
      const password = page.getByRole('dialog', { name: TEXTS.password.title })
      await password.getByLabel(TEXTS.password.next).waitFor()
      await page.keyboard.press('Escape')
      await password.waitFor({ state: 'detached' })
      await page.keyboard.press('Escape')
      await dialog(page).waitFor({ state: 'detached' })
    })
  })
})
