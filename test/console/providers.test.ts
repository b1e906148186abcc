import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sendMail } from '../support/email.ts'
import type { Gateway } from '../support/gateway.ts'
import { magic, send } from '../support/sms.ts'
import { choose, describeConsole } from './console.fixture.ts'
import { SCENE_CONFIG } from './scene.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.providers

type Breaker = Readonly<{ state: string; retry_at: string | null }>
type Listed = Readonly<{ items: readonly Readonly<{ name: string; breaker: Breaker }>[] }>

async function breakerOf({ call }: Gateway, name: string): Promise<Breaker | undefined> {
  const { body } = await call<Listed>('GET', '/v1/providers')
  return body.items.find((provider) => provider.name === name)?.breaker
}

const card = (page: Page, name: string) => page.locator(`#provider-${name}`)
const details = (page: Page, name: string) => card(page, name).locator('summary').click()
const summary = (page: Page) => page.locator('.provider-summary')

describeConsole(
  'providers page',
  (site) => {
    test('pauses a provider until a time that is shown, and resumes it', () =>
      site.visit({ path: '/providers' }, async (page) => {
        await card(page, 'spare').getByText(T.health.idle.label, { exact: true }).waitFor()
        await card(page, 'spare').getByRole('button', { name: T.actions.pause }).click()
        const dialog = page.getByRole('dialog', { name: T.actions.pauseTitle('spare') })
        await choose(dialog, T.actions.howLong, T.actions.pauses.tomorrow)
        await dialog.getByRole('button', { name: T.actions.pause, exact: true }).click()
        await card(page, 'spare').getByText(T.health.paused.label, { exact: true }).waitFor()
        await summary(page).getByText(T.summary(1, 3)).waitFor()
        const breaker = await breakerOf(site.gateway, 'spare')
        assert.equal(breaker?.state, 'open')
        const [now, end] = [new Date(), new Date(breaker?.retry_at ?? 0)]
        assert.equal(end.getDate(), new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getDate())
        assert.deepEqual([end.getHours(), end.getMinutes()], [8, 0])
        const reason = await card(page, 'spare').locator('header p').innerText()
        assert.match(reason, new RegExp(`^${T.breaker.pausedUntil} .*8:00 AM${T.breaker.pausedSince} `))
        assert.equal((await breakerOf(site.gateway, 'simulator'))?.state, 'closed')
        await card(page, 'spare').getByRole('button', { name: T.actions.resume }).click()
        const resume = page.getByRole('dialog', { name: T.actions.resumeTitle('spare') })
        await resume.getByRole('button', { name: T.actions.resume }).click()
        await summary(page).getByText(T.summary(0, 3)).waitFor()
        assert.equal((await breakerOf(site.gateway, 'spare'))?.state, 'closed')
      }))

    test('a pause has an end of at most a week', () =>
      site.visit({ path: '/providers' }, async (page) => {
        await card(page, 'spare').getByRole('button', { name: T.actions.pause }).click()
        const dialog = page.getByRole('dialog', { name: T.actions.pauseTitle('spare') })
        const pause = dialog.getByRole('button', { name: T.actions.pause, exact: true })
        await dialog.getByRole('status').getByText(T.actions.ends).waitFor()
        await choose(dialog, T.actions.howLong, T.actions.pauses.chosen)
        assert.equal(await pause.isDisabled(), true)
      }))

    test('the overview links to a paused provider', () =>
      site.visit({ path: '/' }, async (page) => {
        await page.getByText(TEXTS.overview.attention.calm).waitFor()
        await page.getByText(TEXTS.overview.attention.healthy(3)).waitFor()
        await site.gateway.call('POST', '/v1/providers/spare/breaker', { action: 'trip', seconds: 86_400 })
        await page
          .getByRole('link', { name: TEXTS.overview.attention.provider('spare', T.health.paused.label) })
          .click()
        await card(page, 'spare').getByText(T.health.paused.label, { exact: true }).waitFor()
        await site.gateway.call('POST', '/v1/providers/spare/breaker', { action: 'reset' })
        await summary(page).getByText(T.summary(0, 3)).waitFor()
      }))

    test('shows the errors of a provider', () =>
      site.visit({ path: '/providers' }, async (page) => {
        await send(site.gateway, { to: magic('0001') })
        await card(page, 'simulator').getByText(T.errors.inHour('1', true)).waitFor()
        await details(page, 'simulator')
        await card(page, 'simulator').locator('.mix').getByText('INVALID_NUMBER').waitFor()
        await card(page, 'simulator').getByRole('link', { name: T.messages }).click()
        await page.waitForURL('**/messages?provider=simulator')
      }))

    test('distinguishes the same error of SMS and email', () =>
      site.visit({ path: '/providers' }, async (page) => {
        await send(site.gateway, { to: magic('0004') })
        await sendMail(site.gateway, { to: 'down@sim.pombo.test' })
        await details(page, 'simulator')
        for (const channel of Object.values(TEXTS.common.channels))
          await card(page, 'simulator')
            .getByRole('link', { name: `SERVICE_UNAVAILABLE ${channel}` })
            .waitFor()
      }))

    test('shows no health while the data is outdated', () =>
      site.visit({ path: '/providers', expected: /status of 503/ }, async (page) => {
        await summary(page).waitFor()
        await page.route('**/v1/providers', (route) => route.fulfill({ status: 503, body: '' }))
        await page.getByRole('alert').waitFor()
        await card(page, 'spare').getByText(T.lastSeen).waitFor()
        assert.equal(await summary(page).count(), 0)
        assert.equal(await card(page, 'spare').locator('.badge').count(), 0)
        await page.unrouteAll()
        await summary(page).waitFor()
      }))
  },
  SCENE_CONFIG,
)
