/** The overview, the list of messages, dead letters, providers and usage. */
import { until } from '../../support/until.ts'
import { TEXTS } from '../texts.ts'
import type { PageActions } from './inventory.ts'
import { download, type Keys, submit } from './keys.ts'

const [O, M, D, P, U, C] = [
  TEXTS.overview,
  TEXTS.messages,
  TEXTS.deadLetters,
  TEXTS.providers,
  TEXTS.usage,
  TEXTS.common,
]

const untilSearch = ({ page }: Keys, wanted: string): Promise<boolean> =>
  until(`the address to have ${wanted}`, () => decodeURIComponent(new URL(page.url()).search).includes(wanted))

const openLetter = async ({ page, press }: Keys): Promise<void> => {
  await page.locator('tr[data-row]').first().waitFor()
  await press('j')
}

/** A replay begins some seconds later, until when it can be undone. */
async function undo({ page, press, sees }: Keys): Promise<void> {
  await sees(D.run.undo)
  await press('u')
  await page.getByRole('region', { name: D.run.title }).waitFor({ state: 'detached' })
}

export const MONITOR_ACTIONS: Readonly<Record<string, PageActions>> = {
  overview: {
    path: '/?range=24h',
    actions: {
      'read the values of a chart': async (keys) => {
        const chart = keys.page.locator('.chart', { hasText: O.volume.title })
        await keys.to(chart.getByRole('application'))
        await keys.press('ArrowRight')
        await chart
          .locator('[role=status]')
          .getByText(/Total \d+/)
          .waitFor()
        await keys.press('Escape')
      },
      'show a chart as a table': async (keys) => {
        const table = keys.page.locator('.chart', { hasText: O.volume.title }).locator('details')
        await keys.enter(table.locator('summary'))
        await table.getByRole('table').waitFor()
      },
      'choose a range': async (keys) => {
        await keys.pick(keys.page.getByRole('radio', { name: O.choices['7d'] }))
        await untilSearch(keys, 'range=7d')
      },
      'choose a channel': async (keys) => {
        await keys.choose(keys.page.getByRole('button', { name: O.channel }), C.channels.email)
        await untilSearch(keys, 'channel=email')
      },
      'choose a provider': async (keys) => {
        await keys.choose(keys.page.getByRole('button', { name: O.provider }), 'simulator')
        await untilSearch(keys, 'provider=simulator')
      },
      'compare with the period before': async (keys) => {
        await keys.toggle(keys.page.getByRole('checkbox', { name: O.compare }))
        await untilSearch(keys, 'compare=before')
      },
      'choose which latency': async (keys) => {
        await keys.pick(keys.page.getByRole('radio', { name: O.latency.legs.handoff_to_delivery }))
      },
      'dismiss the first steps': async (keys) => {
        await keys.enter(await keys.button(O.start.dismiss))
        await keys.page.getByText(O.start.title).waitFor({ state: 'detached' })
      },
      'open what needs attention': async (keys) => {
        await keys.enter(keys.page.locator('.attention a, .card a', { hasText: /dead letter/ }).first())
        await keys.page.waitForURL('**/dead-letters*')
      },
    },
  },
  messages: {
    path: '/messages',
    actions: {
      search: async (keys) => {
        await keys.page.locator('tr.message-row').first().waitFor()
        await keys.press('/')
        await keys.page.keyboard.type('A-1042')
        await untilSearch(keys, 'q=A-1042')
        await keys.press('Escape')
      },
      'filter by status': async (keys) => {
        await keys.enter(await keys.button(C.states.delivered))
        await untilSearch(keys, 'status=delivered')
      },
      'copy the link of the view': async (keys) => {
        await keys.enter(await keys.button(M.copyLink))
        await keys.sees(M.linkCopied)
      },
      'clear the filters': async (keys) => {
        await keys.enter(await keys.button(M.clear))
        await until('no filter', () => new URL(keys.page.url()).search === '')
      },
      'add a filter': async (keys) => {
        await keys.choose(await keys.button(C.filters.action), M.names.tag)
        await keys.page.locator('.panel-form input:focus').waitFor()
        await keys.page.keyboard.type('order')
        await keys.press('Enter')
        await untilSearch(keys, 'tag=order')
      },
      'change a filter': async (keys) => {
        await keys.enter(keys.page.getByRole('button', { name: `${C.filters.edit} ${M.names.tag}: order` }))
        await keys.page.locator('.panel-form input:focus').waitFor()
        await keys.page.keyboard.insertText('urgent')
        await keys.press('Enter')
        await untilSearch(keys, 'tag=urgent')
      },
      'remove a filter': async (keys) => {
        await keys.enter(await keys.button(C.filters.remove(`${M.names.tag}: urgent`)))
        await until('no filter', () => new URL(keys.page.url()).search === '')
      },
      'choose density and columns': async (keys) => {
        await keys.enter(await keys.button(C.display.action))
        await keys.pick(keys.page.getByRole('radio', { name: C.display.densities.compact }))
        await keys.toggle(keys.page.getByRole('checkbox', { name: M.columns.provider }))
        await keys.press('Escape')
        await keys.page.getByRole('dialog').waitFor({ state: 'detached' })
      },
      'export as CSV': async (keys) => {
        await download(keys, M.export.action, /^messages-.*\.csv$/)
        await keys.enter(await keys.button(C.close))
        await keys.page.getByRole('dialog').waitFor({ state: 'detached' })
      },
      'open a message': async (keys) => {
        await keys.to(keys.page.getByRole('grid', { name: M.list }))
        await keys.press('j', 'j', 'k', 'Enter')
        await keys.page.waitForURL('**/messages/*')
      },
    },
  },
  'dead letters': {
    path: '/dead-letters',
    actions: {
      'choose a reason': async (keys) => {
        await keys.enter(keys.page.locator('button.reason').first())
        await untilSearch(keys, 'channel=')
        await keys.press('Enter')
      },
      'undo a replay': async (keys) => {
        await openLetter(keys)
        await keys.press('Space', 'r')
        await undo(keys)
      },
      'select all and clear the selection': async (keys) => {
        await keys.toggle(keys.page.getByRole('checkbox', { name: D.selectShown }))
        await keys.enter(await keys.button(D.clearSelection))
      },
      'replay the selection': async (keys) => {
        await openLetter(keys)
        await keys.press('Space')
        await keys.enter(await keys.button(D.replaySelected))
        await keys.sees(D.run.replayed(1))
        await keys.enter(await keys.button(C.close))
      },
      'replay a reason': async (keys) => {
        await keys.enter(keys.page.locator('.reason-replay').first())
        await undo(keys)
      },
      'replay all': async (keys) => {
        await keys.enter(keys.page.getByRole('button', { name: /^Replay all/ }))
        await undo(keys)
      },
    },
  },
  providers: {
    path: '/providers',
    actions: {
      'show the details': async (keys) => {
        const closed = keys.page.locator('details:not([open]) > summary')
        const before = await closed.count()
        await keys.enter(closed.first())
        await until('one more open', async () => (await closed.count()) < before)
      },
      pause: async (keys) => {
        await keys.enter(await keys.button(`${P.actions.pause} ${P.actions.of('spare')}`))
        await keys.choose(keys.page.getByRole('button', { name: P.actions.howLong }), P.actions.pauses['1h'])
        await submit(keys, P.actions.pause, P.actions.done.trip('spare'))
      },
      'change the pause': async (keys) => {
        await keys.enter(await keys.button(`${P.actions.longer} ${P.actions.of('spare')}`))
        await keys.page.getByRole('dialog').waitFor()
        await keys.press('Escape')
        await keys.page.getByRole('dialog').waitFor({ state: 'detached' })
      },
      resume: async (keys) => {
        await keys.enter(await keys.button(`${P.actions.resume} ${P.actions.of('spare')}`))
        await submit(keys, P.actions.resume, P.actions.done.reset('spare'))
      },
    },
  },
  usage: {
    path: '/usage',
    actions: {
      'choose what is grouped': async (keys) => {
        await keys.choose(keys.page.getByRole('button', { name: U.by }), U.dimensions.country)
        await untilSearch(keys, 'by=country')
      },
      'choose what the chart shows': async (keys) => {
        await keys.choose(keys.page.getByRole('button', { name: U.metric }), U.metrics.sent_messages)
        await untilSearch(keys, 'metric=sent_messages')
      },
      'choose a period': async (keys) => {
        await keys.choose(keys.page.getByRole('button', { name: U.period }), U.periods['last-month'])
        await untilSearch(keys, 'period=last-month')
      },
      'download as CSV': (keys) => download(keys, U.csv, /^usage-.*\.csv$/),
    },
  },
}
