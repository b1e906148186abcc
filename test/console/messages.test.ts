import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sendMail } from '../support/email.ts'
import { magic, send, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { addFilter, describeConsole } from './console.fixture.ts'
import { SCENE_CONFIG } from './scene.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.messages
const F = TEXTS.common.filters

const rows = (page: Page): Locator => page.locator('tr.message-row')
const rowOf = (page: Page, id: string): Locator => page.locator(`tr[id="message-${id}"]`)
const selected = (page: Page): Locator => page.locator('tr.message-row[aria-selected="true"]')
const untilCount = (page: Page, count: number): Promise<boolean> =>
  until(`${count} rows`, async () => (await rows(page).count()) === count)
const search = (page: Page): Locator => page.getByRole('searchbox', { name: TEXTS.common.search })

/** A navigation would reset it. */
const mark = (page: Page): Promise<unknown> => page.evaluate('window.wasNotReloaded = true')
const isMarked = (page: Page): Promise<boolean> => page.evaluate<boolean>('window.wasNotReloaded === true')

describeConsole(
  'messages page',
  (site) => {
    let [dead, mail, order]: [string, string, string] = ['', '', '']
    before(async () => {
      order = await send(site.gateway, { tags: ['order'], metadata: { parcel: 'A-1042' } })
      dead = await send(site.gateway, { to: magic('0004') })
      mail = await sendMail(site.gateway)
      await untilStatus(site.gateway, order, 'delivered')
      await untilStatus(site.gateway, dead, 'failed')
      await untilStatus(site.gateway, mail, 'delivered')
      await untilIndexed(site.gateway)
    })

    test('shows new messages and status changes without a reload', () =>
      site.visit({}, async (page) => {
        await rowOf(page, mail).waitFor()
        await mark(page)
        const slow = await send(site.gateway, { to: magic('0009') })
        await rowOf(page, slow).getByText('sending').waitFor()
        await rowOf(page, slow).getByText('delivered').waitFor()
        assert.ok(await isMarked(page))
        assert.equal(await rows(page).first().getAttribute('id'), `message-${slow}`)
      }))

    test('masks recipients', () =>
      site.visit({}, async (page) => {
        await rowOf(page, dead).getByText('+1 ••• 0004').waitFor()
        assert.match(await rowOf(page, mail).innerText(), /a•••@mail\.example/)
      }))

    test('applies filters from the URL, lists them and removes them', () =>
      site.visit({ path: '/messages?channel=sms&tag=order' }, async (page) => {
        await untilCount(page, 1)
        await rowOf(page, order).waitFor()
        await page.getByRole('button', { name: F.remove(`${T.names.channel}: SMS`) }).click()
        await until('the URL to change', () => new URL(page.url()).search === '?tag=order')
        await page.getByRole('button', { name: T.clear }).click()
        await rowOf(page, dead).waitFor()
        assert.equal(new URL(page.url()).search, '')
      }))

    test('applies search and filters, and keeps them in the URL', () =>
      site.visit({}, async (page) => {
        await rowOf(page, dead).waitFor()
        await search(page).fill('A-1042')
        await untilCount(page, 1)
        await rowOf(page, order).waitFor()
        assert.equal(new URL(page.url()).searchParams.get('q'), 'A-1042')
        await search(page).fill('')
        await rowOf(page, dead).waitFor()
        await page.getByRole('button', { name: TEXTS.common.states.failed, exact: true }).click()
        await rowOf(page, order).waitFor({ state: 'detached' })
        await rowOf(page, dead).waitFor()
        assert.equal(new URL(page.url()).searchParams.get('status'), 'failed')
        await page.reload()
        await rowOf(page, dead).waitFor()
        assert.equal(await rowOf(page, order).count(), 0)
      }))

    test('the back button undoes each filter change', () =>
      site.visit({ path: '/messages?channel=sms&tag=order' }, async (page) => {
        const untilAddress = (search: string): Promise<boolean> =>
          until(`the URL to contain ${search}`, () => new URL(page.url()).search === search)
        await rowOf(page, order).waitFor()
        await page.getByRole('button', { name: TEXTS.common.states.failed, exact: true }).click()
        await untilAddress('?channel=sms&tag=order&status=failed')
        await page.goBack()
        await rowOf(page, order).waitFor()
        await page.getByRole('button', { name: F.remove(`${T.names.channel}: SMS`) }).click()
        await untilAddress('?tag=order')
        await page.getByRole('button', { name: T.clear }).click()
        await untilAddress('')
        await page.goBack()
        await untilAddress('?tag=order')
        await page.goBack()
        await untilAddress('?channel=sms&tag=order')
        await untilCount(page, 1)
      }))

    test('adds a filter by pointer, edits it in its chip and removes it', () =>
      site.visit({}, async (page) => {
        await rowOf(page, order).waitFor()
        await addFilter(page, T.names.channel)
        await page.getByRole('option', { name: TEXTS.common.channels.email }).click()
        await rowOf(page, order).waitFor({ state: 'detached' })
        await rowOf(page, mail).waitFor()
        await page.getByRole('button', { name: `${F.edit} ${T.names.channel}: Email` }).click()
        await page.getByRole('option', { name: TEXTS.common.channels.sms }).click()
        await rowOf(page, mail).waitFor({ state: 'detached' })
        await rowOf(page, order).waitFor()
        assert.equal(new URL(page.url()).search, '?channel=sms')
        await page.getByRole('button', { name: F.remove(`${T.names.channel}: SMS`) }).click()
        await rowOf(page, mail).waitFor()
        assert.equal(new URL(page.url()).search, '')
      }))

    test('adds a filter by keyboard, and the focus returns to the button', () =>
      site.visit({}, async (page) => {
        await rowOf(page, order).waitFor()
        await page.getByRole('button', { name: F.action, exact: true }).focus()
        await page.keyboard.press('Enter')
        await page.getByRole('option', { name: T.names.tag, exact: true }).waitFor()
        await page.keyboard.type('tag')
        await page.keyboard.press('Enter')
        await page.locator('input:focus').waitFor()
        await page.keyboard.type(' order ')
        await page.keyboard.press('Enter')
        await untilCount(page, 1)
        await rowOf(page, order).waitFor()
        assert.equal(new URL(page.url()).search, '?tag=order')
        await page.locator('button:focus', { hasText: F.action }).waitFor()
      }))

    test('filters by provider, and by a range of time', () =>
      site.visit({}, async (page) => {
        await rowOf(page, order).waitFor()
        await addFilter(page, T.names.provider)
        await page.getByRole('option', { name: 'mute' }).click()
        await page.getByText(T.noneMatch).waitFor()
        await page.getByRole('button', { name: T.clear }).first().click()
        await addFilter(page, T.created)
        await page.getByRole('button', { name: F.presets.yesterday }).click()
        await page.getByText(T.hintsWhenNone.created).waitFor()
        const { searchParams } = new URL(page.url())
        const [from, to] = [searchParams.get('created_from') ?? '', searchParams.get('created_to') ?? '']
        assert.ok(from < to && to < new Date().toISOString(), `${from} ${to}`)
        await page.goBack()
        await rowOf(page, order).waitFor()
      }))

    test('offers to clear the filters when nothing matches', () =>
      site.visit({ path: '/messages?q=nothing-of-the-kind' }, async (page) => {
        await page.getByText(T.hintsWhenNone.q('nothing-of-the-kind')).waitFor()
        await page.getByRole('button', { name: T.clear }).first().click()
        await rowOf(page, dead).waitFor()
      }))

    test('works by keyboard: rows, a message, back to the same row, search, help', () =>
      site.visit({}, async (page) => {
        await rowOf(page, order).waitFor()
        const press = (key: string): Promise<void> => page.keyboard.press(key)
        await press('j')
        assert.equal(await selected(page).getAttribute('aria-rowindex'), '2')
        await press('j')
        await press('j')
        await press('k')
        assert.equal(await selected(page).getAttribute('aria-rowindex'), '3')
        const chosen = await selected(page).getAttribute('id')
        await press('Enter')
        await page.waitForURL(`**/messages/${chosen?.replace('message-', '')}`)
        await page.goBack()
        await selected(page).waitFor()
        assert.equal(await selected(page).getAttribute('id'), chosen)
        await press('/')
        await page.locator('input[type="search"]:focus').waitFor()
        await page.keyboard.type('A-1042')
        await press('Escape')
        await untilCount(page, 1)
        await press('?')
        await page.getByRole('dialog', { name: TEXTS.app.keysTitle }).waitFor()
        await press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }))

    test('announces new messages with a button while the list is scrolled, and keeps the rows in place', async () => {
      for (let sent = 0; sent < 40; sent += 1) await send(site.gateway)
      await untilIndexed(site.gateway)
      await site.visit({}, async (page) => {
        await rows(page).nth(20).waitFor()
        await page.mouse.wheel(0, 700)
        await until('the list to be scrolled', () => page.evaluate<boolean>('scrollY > 500'))
        const place = await page.evaluate<number>('scrollY')
        const fresh = await send(site.gateway)
        await page.getByRole('button', { name: T.fresh(1) }).click()
        await rowOf(page, fresh).waitFor()
        assert.notEqual(place, 0)
        assert.equal(await page.evaluate<number>('scrollY'), 0)
      })
    })
  },
  SCENE_CONFIG,
)
