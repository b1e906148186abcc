import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { TEXTS } from '../../console/src/texts.ts'
import { sendMail } from '../support/email.ts'
import type { Gateway } from '../support/gateway.ts'
import { magic, send } from '../support/sms.ts'
import { describeConsole } from './console.fixture.ts'
import { SCENE_CONFIG } from './scene.ts'

const T = TEXTS.providers

type Listed = Readonly<{ items: readonly Readonly<{ name: string; breaker: Readonly<{ state: string }> }>[] }>

async function breakerOf({ call }: Gateway, name: string): Promise<string | undefined> {
  const { body } = await call<Listed>('GET', '/v1/providers')
  return body.items.find((provider) => provider.name === name)?.breaker.state
}

const card = (page: Page, name: string) => page.locator(`#provider-${name}`)
const summary = (page: Page) => page.locator('.provider-summary')

describeConsole(
  'providers page',
  (site) => {
    test('trips and resets a circuit breaker', () =>
      site.visit({ path: '/providers' }, async (page) => {
        await card(page, 'spare').getByText(T.health.idle.label, { exact: true }).waitFor()
        await card(page, 'spare').getByRole('button', { name: T.actions.trip }).click()
        const trip = page.getByRole('dialog', { name: T.actions.tripTitle('spare') })
        await trip.getByLabel(T.actions.howLong).selectOption(T.actions.pauses[900])
        await trip.getByRole('button', { name: T.actions.trip }).click()
        await card(page, 'spare').getByText(T.health.open.label, { exact: true }).waitFor()
        await summary(page).getByText(T.summary(1, 3)).waitFor()
        assert.equal(await breakerOf(site.gateway, 'spare'), 'open')
        assert.equal(await breakerOf(site.gateway, 'simulator'), 'closed')
        await card(page, 'spare').getByRole('button', { name: T.actions.reset }).click()
        const reset = page.getByRole('dialog', { name: T.actions.resetTitle('spare') })
        await reset.getByRole('button', { name: T.actions.reset }).click()
        await summary(page).getByText(T.summary(0, 3)).waitFor()
        assert.equal(await breakerOf(site.gateway, 'spare'), 'closed')
      }))

    test('the overview links to an unhealthy provider', () =>
      site.visit({ path: '/' }, async (page) => {
        await page.getByText(TEXTS.overview.attention.calm).waitFor()
        await site.gateway.call('POST', '/v1/providers/spare/breaker', { action: 'trip' })
        await page.getByRole('link', { name: 'spare' }).click()
        await card(page, 'spare').getByText(T.health.open.label, { exact: true }).waitFor()
        await site.gateway.call('POST', '/v1/providers/spare/breaker', { action: 'reset' })
        await summary(page).getByText(T.summary(0, 3)).waitFor()
      }))

    test('shows the errors of a provider', () =>
      site.visit({ path: '/providers' }, async (page) => {
        await send(site.gateway, { to: magic('0001') })
        await card(page, 'simulator').getByText('INVALID_NUMBER').waitFor()
        await card(page, 'simulator').getByRole('link', { name: T.messages }).click()
        await page.waitForURL('**/messages?provider=simulator')
      }))

    test('distinguishes the same error of SMS and email', () =>
      site.visit({ path: '/providers' }, async (page) => {
        await send(site.gateway, { to: magic('0004') })
        await sendMail(site.gateway, { to: 'down@sim.pombo.test' })
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
