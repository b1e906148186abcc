import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { openFakeTwilio, TWILIO } from '../support/fake-twilio.ts'
import { search, untilIndexed } from '../support/sms.ts'
import { axeFindings, COLOURS } from './axe.ts'
import { choose, describeConsole, PHONE } from './console.fixture.ts'
import { TEXTS } from './texts.ts'

const T = TEXTS.bulk
const PATH = { path: '/send/bulk' }

async function upload(page: Page, name: string, content: string | Buffer): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: TEXTS.common.files.choose }).click(),
  ])
  await chooser.setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content as string) })
}

/** The numbers above the rows, or of the progress. */
const figure = (page: Page, name: string): Locator =>
  page.locator('.bulk-counts > div, .bulk-progress > div').filter({ hasText: name }).locator('dd')

const untilFigure = (page: Page, name: string, value: number): Promise<void> =>
  figure(page, name).getByText(value.toLocaleString(), { exact: true }).waitFor()

async function send(page: Page, count: number): Promise<void> {
  await page.getByRole('button', { name: T.send(count.toLocaleString()) }).click()
  await page.getByRole('dialog').getByRole('button', { name: T.confirm.action }).click()
}

const untilDone = (page: Page): Promise<void> =>
  page.getByRole('heading', { name: new RegExp(`^${T.run.title.done}`) }).waitFor()

async function resultsOf(page: Page): Promise<readonly string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: T.run.results }).click(),
  ])
  const text = await readFile(await download.path(), 'utf8')
  return text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n')
}

/** 2,500 rows, of which every hundredth is bad, and two go to one recipient. */
function someFile(): string {
  const rows = Array.from({ length: 2_500 }, (_, n) => {
    const to = n % 100 === 50 ? 'nobody' : `+1500556${String(n === 7 ? 6 : n).padStart(4, '0')}`
    return `${to};"Hello; ""${n}""\nbye";vip;A-${n}`
  })
  return `\ufeffPhone;Text;Tag;meta.order\r\n${rows.join('\r\n')}\r\n`
}

describeConsole('sending a file', (site) => {
  test('sends 2,500 rows but the bad ones, says what became of each, and never sends the file twice', () =>
    site.visit(PATH, async (page) => {
      await upload(page, 'spring.csv', someFile())
      await untilFigure(page, T.ready, 2_475)
      await untilFigure(page, T.bad, 25)
      await untilFigure(page, T.warned, 1)
      const problem = (line: string) => page.getByRole('row').filter({ has: page.getByText(line, { exact: true }) })
      await problem('102').getByText(T.rowProblems.badPhone).waitFor()
      await problem('16').getByText(T.rowProblems.duplicate(14)).waitFor()

      await page.getByRole('button', { name: T.send('2,475') }).click()
      const dialog = page.getByRole('dialog', { name: T.confirm.title('2,475') })
      await dialog.getByText(T.confirm.sms('2,475', TEXTS.common.parts(2_475))).waitFor()
      await dialog.getByText(T.confirm.simulated).waitFor()
      await dialog.getByText('simulator').first().waitFor()
      await dialog.getByRole('button', { name: TEXTS.common.cancel }).click()
      assert.equal((await search(site.gateway, { tag: 'vip' })).items.length, 0)

      await send(page, 2_475)
      await untilDone(page)
      await untilFigure(page, T.run.accepted, 2_475)
      await untilFigure(page, T.run.refused, 0)
      const results = await resultsOf(page)
      assert.equal(results.length, 2_501)
      assert.match(results[1] ?? '', new RegExp(`^2,[0-9a-f-]{36},${T.run.statuses.accepted},,$`))
      assert.match(results[51] ?? '', new RegExp(`^102,,${T.run.statuses.invalid},INVALID_ROW,`))
      const ids = idsOf(results)
      assert.equal(new Set(ids).size, 2_475)
      const { body } = await site.gateway.call<MessageDetails>('GET', `/v1/messages/${ids[0]}`)
      assert.deepEqual([body.tags, body.metadata, body.lane], [['vip'], { order: 'A-0' }, 'bulk'])

      await page.getByRole('button', { name: T.run.another }).click()
      await upload(page, 'renamed.csv', someFile())
      await send(page, 2_475)
      await untilDone(page)
      assert.deepEqual(idsOf(await resultsOf(page)), ids)
      await untilIndexed(site.gateway)
    }))

  test('waits and repeats when the gateway asks for it, and goes on after a lost answer', () =>
    site.visit({ ...PATH, expected: /status of (429|503)|ERR_FAILED/ }, async (page) => {
      const answers = [
        { status: 429, headers: { 'retry-after': '1' }, json: { status: 429 } },
        { status: 503, headers: { 'retry-after': '1' }, json: { status: 503 } },
      ]
      let posts = 0
      await page.route('**/v1/messages/batch', (route) => {
        const answer = answers[posts]
        posts += 1
        if (answer !== undefined) return route.fulfill(answer)
        return posts === 3 ? route.abort() : route.fallback()
      })
      await upload(page, 'one.csv', 'to,message\n+15005557001,Patience\n')
      await send(page, 1)
      await page.getByText(T.run.waits(1)).first().waitFor()
      await untilDone(page)
      await untilFigure(page, T.run.accepted, 1)
      assert.equal(posts, 4)
    }))

  test('asks before the page is left while it sends, and goes on where it was paused', () =>
    site.visit({ ...PATH, expected: /^$/ }, async (page) => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      await page.route('**/v1/messages/batch', async (route) => {
        await released
        await route.fallback()
      })
      const rows = Array.from({ length: 4_500 }, (_, n) => `+1500557${String(n).padStart(4, '0')},Hi`)
      await upload(page, 'many.csv', `to,message\n${rows.join('\n')}\n`)
      await send(page, 4_500)
      const menu = page.getByRole('navigation', { name: TEXTS.app.nav })
      await menu.getByRole('link', { name: TEXTS.pages.routes }).click()
      const dialog = page.getByRole('dialog', { name: T.run.leave.title })
      await dialog.getByRole('button', { name: TEXTS.common.cancel }).click()
      await page.getByRole('heading', { level: 1, name: TEXTS.pages.bulk }).waitFor()
      await menu.getByRole('link', { name: TEXTS.pages.routes }).click()
      await dialog.getByRole('button', { name: T.run.leave.action }).click()
      await page.getByRole('heading', { level: 1, name: TEXTS.pages.routes }).waitFor()
      release()
      await menu.getByRole('link', { name: TEXTS.pages.bulk }).click()
      await page.getByRole('heading', { name: new RegExp(`^${T.run.title.paused}`) }).waitFor()
      await untilFigure(page, T.run.accepted, 3_000)
      await page.getByRole('button', { name: T.run.resume }).click()
      await untilDone(page)
      await untilFigure(page, T.run.accepted, 4_500)
    }))

  test('a cancelled send keeps its results, and can send the rest', () =>
    site.visit(PATH, async (page) => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      await page.route('**/v1/messages/batch', async (route) => {
        await released
        await route.fallback()
      })
      const rows = Array.from({ length: 3_200 }, (_, n) => `+1500558${String(n).padStart(4, '0')},Hi`)
      await upload(page, 'cancelled.csv', `to,message\n${rows.join('\n')}\n`)
      await send(page, 3_200)
      await page.getByRole('button', { name: T.run.cancel, exact: true }).click()
      release()
      await page.getByRole('heading', { name: new RegExp(`^${T.run.title.cancelled}`) }).waitFor()
      await untilFigure(page, T.run.left, 200)
      const unsent = (await resultsOf(page)).filter((line) => line.endsWith(`,,${T.run.statuses.unsent},,`))
      assert.equal(unsent.length, 200)
      await page.getByRole('button', { name: T.run.again }).click()
      await untilDone(page)
      await untilFigure(page, T.run.accepted, 3_200)
    }))

  test('sends a template with the columns that its fields need, and says which are missing', async () => {
    const text = 'Hello {{ name }}, your parcel {{ number }} is on its way.'
    await site.gateway.call('POST', '/v1/templates', { name: 'shipped', channel: 'sms', text })
    await site.visit(PATH, async (page) => {
      await upload(page, 'template.csv', 'Mobile,Name,Parcel\n+15005557101,Ana,4711\n+15005557102,,4712\n')
      await page.getByText(T.needs.message).waitFor()
      await choose(page, T.noTemplate, 'shipped')
      await page.getByText(T.needs.data('number')).waitFor()
      await choose(page, `${T.columnHead[2]}: Parcel`, T.targets.data('number'))
      await untilFigure(page, T.ready, 1)
      await page.getByText(T.rowProblems.missing('name')).waitFor()
      await page.getByText('name: Ana · number: 4711').waitFor()
      await page.getByLabel(T.tag, { exact: true }).fill('parcels')
      await page.getByText('parcels').waitFor()
      await send(page, 1)
      await untilDone(page)
      const [, first] = await resultsOf(page)
      const { body } = await site.gateway.call<MessageDetails>('GET', `/v1/messages/${first?.split(',')[1]}`)
      assert.deepEqual(body.tags, ['parcels'])
      await untilIndexed(site.gateway)
      await page.getByRole('link', { name: T.run.messages }).click()
      await page.waitForURL(`**/messages?batch=${body.batch_id}`)
      await page.getByText('+1 ••• 7101').waitFor()
    })
  })

  test('says what is wrong with a file that is no CSV in UTF-8', () =>
    site.visit(PATH, async (page) => {
      for (const [text, problem] of [
        ['to,message\n', T.noRows],
        ['to,message\n+1,"open\n', T.unclosed(2)],
        [Buffer.from('to,message\n+1,caf\xe9\n', 'latin1'), T.notUtf8],
      ] as const) {
        await upload(page, 'bad.csv', text)
        await page.getByText(problem).waitFor()
      }
    }))

  test('reads 100,000 rows in pieces, between which the page answers', () =>
    site.visit(PATH, async (page) => {
      const rows = Array.from({ length: 100_000 }, (_, n) => `+1500${String(5_000_000 + n)},Message ${n}`)
      await page.evaluate(`window.turns = 0
        const turn = () => { window.turns += 1; setTimeout(turn) }; turn()`)
      await upload(page, 'large.csv', `to,message\n${rows.join('\n')}\n`)
      const before = await page.evaluate<number>('window.turns')
      await untilFigure(page, T.ready, 100_000)
      const turns = (await page.evaluate<number>('window.turns')) - before
      assert.ok(turns > 50, `only ${turns} other tasks ran meanwhile`)
    }))

  test('is accessible at each step, in light and dark mode and on a phone, and works by keyboard', () =>
    site.visit({ ...PATH, bypassCSP: true, colorScheme: 'light' }, async (page) => {
      const found: string[] = []
      const check = async (step: string): Promise<void> => {
        const wide = await axeFindings(page)
        await page.emulateMedia({ colorScheme: 'dark' })
        const dark = await axeFindings(page, COLOURS)
        await page.emulateMedia({ colorScheme: 'light' })
        await page.setViewportSize(PHONE)
        const small = await axeFindings(page)
        const width = await page.evaluate<number>('document.documentElement.scrollWidth')
        await page.setViewportSize({ width: 1280, height: 800 })
        found.push(...[...wide, ...dark, ...small, `${width} px`].map((flaw) => `${step}: ${flaw}`))
      }
      await upload(page, 'keys.csv', 'to,message\n+15005557201,Hi\n+15005557201,Ho\nnobody,Hi\n')
      await untilFigure(page, T.ready, 2)
      await check('preview')
      await page.getByRole('button', { name: T.send('2') }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByText(T.confirm.simulated).waitFor()
      await check('confirmation')
      await page.keyboard.press('Tab')
      await page.getByRole('button', { name: T.confirm.action }).focus()
      await page.keyboard.press('Enter')
      await untilDone(page)
      await check('results')
      assert.deepEqual(
        found,
        ['preview', 'confirmation', 'results'].map((step) => `${step}: ${PHONE.width} px`),
      )
    }))
})

const idsOf = (results: readonly string[]): readonly string[] =>
  results.flatMap((line) => line.split(',')[1] || []).filter((id) => id !== 'id')

const twilio = await openFakeTwilio()
after(() => twilio[Symbol.asyncDispose]())
const settings = { ...TWILIO, from: '+15005550006', base_url: twilio.url, callbacks: false }

describeConsole(
  'sending a file through several providers',
  (site) => {
    test('says through which providers the messages go, and that they are real', () =>
      site.visit(PATH, async (page) => {
        await upload(page, 'mixed.csv', 'to,message\n+15005557301,a\n+5511987654321,b\n+5511987654322,c\n')
        await page.getByRole('button', { name: T.send('3') }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByText(T.confirm.real).waitFor()
        const ways = await dialog.locator('.bulk-ways li').allInnerTexts()
        assert.deepEqual(
          ways.map((way) => way.split(/\s+/)),
          [
            ['twilio', '2', 'messages'],
            ['simulator', 'simulator', '1', 'messages'],
          ],
        )
        await page.keyboard.press('Escape')
        assert.equal(twilio.messages.length, 0)
      }))
  },
  {
    config: {
      providers: [
        { name: 'simulator', kind: 'simulator' },
        { name: 'twilio', kind: 'twilio', settings },
      ],
      routes: [
        { id: 'sms', channel: 'sms', providers: ['simulator'] },
        { id: 'brazil', channel: 'sms', prefix: '+55', providers: ['twilio'] },
      ],
    },
  },
)
