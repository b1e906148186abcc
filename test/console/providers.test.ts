import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { TEXTS } from '../../console/src/texts.ts'
import { sendMail } from '../support/email.ts'
import type { Gateway } from '../support/gateway.ts'
import { magic, send } from '../support/sms.ts'
import { describeConsole } from './console.fixture.ts'
import { CALM } from './scene.ts'

const T = TEXTS.providers

type Listed = Readonly<{ items: readonly Readonly<{ name: string; breaker: Readonly<{ state: string }> }>[] }>

async function breakerOf({ call }: Gateway, name: string): Promise<string | undefined> {
  const { body } = await call<Listed>('GET', '/v1/providers')
  return body.items.find((provider) => provider.name === name)?.breaker.state
}

const card = (page: Page, name: string) => page.locator(`#provider-${name}`)
const glance = (page: Page) => page.locator('.glance')

describeConsole(
  'the providers',
  (site) => {
    test('are left alone by hand for a while, and used again', () =>
      site.visit({ path: '/providers' }, async (page) => {
        await card(page, 'spare').getByText(T.verdicts.idle.word, { exact: true }).waitFor()
        await card(page, 'spare').getByRole('button', { name: T.actions.trip }).click()
        const trip = page.getByRole('dialog', { name: T.actions.tripTitle('spare') })
        await trip.getByLabel(T.actions.howLong).selectOption(T.actions.pauses[900])
        await trip.getByRole('button', { name: T.actions.trip }).click()
        await card(page, 'spare').getByText(T.verdicts.open.word, { exact: true }).waitFor()
        await glance(page).getByText(T.glance(1, 3)).waitFor()
        assert.equal(await breakerOf(site.gateway, 'spare'), 'open')
        assert.equal(await breakerOf(site.gateway, 'simulator'), 'closed')
        await card(page, 'spare').getByRole('button', { name: T.actions.reset }).click()
        const reset = page.getByRole('dialog', { name: T.actions.resetTitle('spare') })
        await reset.getByRole('button', { name: T.actions.reset }).click()
        await glance(page).getByText(T.glance(0, 3)).waitFor()
        assert.equal(await breakerOf(site.gateway, 'spare'), 'closed')
      }))

    test('are seen from the overview when something is wrong with one', () =>
      site.visit({ path: '/' }, async (page) => {
        await page.getByText(TEXTS.overview.attention.calm).waitFor()
        await site.gateway.call('POST', '/v1/providers/spare/breaker', { action: 'trip' })
        await page.getByRole('link', { name: 'spare' }).click()
        await card(page, 'spare').getByText(T.verdicts.open.word, { exact: true }).waitFor()
        await site.gateway.call('POST', '/v1/providers/spare/breaker', { action: 'reset' })
        await glance(page).getByText(T.glance(0, 3)).waitFor()
      }))

    test('tell what goes wrong with their messages', () =>
      site.visit({ path: '/providers' }, async (page) => {
        await send(site.gateway, { to: magic('0001') })
        await card(page, 'simulator').getByText('INVALID_NUMBER').waitFor()
        await card(page, 'simulator').getByRole('link', { name: T.messages }).click()
        await page.waitForURL('**/messages?provider=simulator')
      }))

    test('tell an error of SMS from the same error of mail', () =>
      site.visit({ path: '/providers' }, async (page) => {
        await send(site.gateway, { to: magic('0004') })
        await sendMail(site.gateway, { to: 'down@sim.pombo.test' })
        for (const channel of Object.values(TEXTS.overview.channels))
          await card(page, 'simulator')
            .getByRole('link', { name: `SERVICE_UNAVAILABLE ${channel}` })
            .waitFor()
      }))

    test('are not called fine while nobody can tell', () =>
      site.visit({ path: '/providers', expected: /status of 503/ }, async (page) => {
        await glance(page).waitFor()
        await page.route('**/v1/providers', (route) => route.fulfill({ status: 503, body: '' }))
        await page.getByRole('alert').waitFor()
        await card(page, 'spare').getByText(T.lastSeen).waitFor()
        assert.equal(await glance(page).count(), 0)
        assert.equal(await card(page, 'spare').locator('.badge').count(), 0)
        await page.unrouteAll()
        await glance(page).waitFor()
      }))
  },
  CALM,
)
