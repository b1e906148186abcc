/** The list of templates, and their editor. */
import { TEXTS } from '../texts.ts'
import type { PageActions } from './inventory.ts'
import { submit, untilClosed } from './keys.ts'

const [T, C] = [TEXTS.templates, TEXTS.common]

export const TEMPLATE_ACTIONS: Readonly<Record<string, PageActions>> = {
  templates: {
    path: '/templates',
    actions: {
      search: async (keys) => {
        await keys.write(keys.page.getByRole('searchbox'), 'welcome')
        await keys.page.getByRole('link', { name: 'shipped' }).waitFor({ state: 'detached' })
      },
      'show those of one channel': (keys) =>
        keys.choose(keys.page.getByRole('button', { name: T.channel }), C.channels.email),
      open: async (keys) => {
        await keys.enter(keys.page.getByRole('link', { name: 'welcome' }))
        await keys.page.getByRole('heading', { level: 1, name: 'welcome' }).waitFor()
      },
      'preview on a phone, in the dark': async (keys) => {
        await keys.pick(keys.page.getByRole('radio', { name: TEXTS.mailView.devices.phone }))
        await keys.pick(keys.page.locator('.mail-window').getByRole('radio', { name: TEXTS.mailView.schemes.dark }))
      },
      'preview the plain text': async (keys) => {
        await keys.to(keys.page.getByRole('tab', { name: TEXTS.mailView.html }))
        await keys.press('ArrowRight')
      },
    },
  },
  template: {
    path: '/templates?new=sms',
    actions: {
      create: async (keys) => {
        await keys.write(await keys.field(T.name), 'keys')
        await keys.write(await keys.field(T.fields.text), 'Hello {{ name }}, it left.')
        await submit(keys, T.save(1), T.saved('keys', 1))
      },
      'change the sample data': async (keys) => {
        await keys.write(await keys.field(T.data), '{ "name": "Kim" }')
        await keys.page.locator('.bubble', { hasText: 'Hello Kim' }).waitFor()
      },
      'save the next version': async (keys) => {
        await keys.write(await keys.field(T.fields.text), 'Hello {{ name }}, it left today.')
        await keys.press('Control+s')
        await keys.sees(T.saved('keys', 2))
      },
      'discard changes': async (keys) => {
        await keys.write(await keys.field(T.fields.text), 'Nonsense')
        await keys.enter(await keys.button(T.discard))
        await keys.page.getByText(T.unsaved).waitFor({ state: 'detached' })
      },
      'compare versions': async (keys) => {
        await keys.enter(await keys.button(T.changes.of(2)))
        await keys.choose(keys.page.getByRole('dialog').getByRole('button', { name: T.changes.after }), T.version(1))
        await keys.sees(T.changes.none)
        await keys.enter(await keys.button(C.close))
        await untilClosed(keys)
      },
      'add a locale': async (keys) => {
        await keys.enter(keys.page.getByRole('link', { name: T.addLocale }))
        await keys.write(await keys.field(T.locale), 'pt')
        await keys.write(await keys.field(T.fields.text), 'Olá {{ name }}')
        await submit(keys, T.save(1), T.saved('keys', 1))
      },
      'compare locales': async (keys) => {
        await keys.enter(keys.page.getByRole('link', { name: T.allLocales }))
        await keys.sees(T.allLocalesAbout)
        await keys.enter(keys.page.getByRole('link', { name: T.edit }))
      },
      remove: async (keys) => {
        await keys.enter(await keys.button(T.remove))
        await keys.choose(keys.page.getByRole('dialog').locator('.select-button'), T.removeAll)
        await keys.enter(await keys.button(C.remove))
        await keys.sees(T.removed('keys'))
      },
      'send a test': async (keys, { gateway }) => {
        await keys.page.goto(`${gateway.url}/console/templates?name=shipped`)
        await keys.enter(keys.page.getByRole('link', { name: T.sendTest }))
        await keys.page.getByRole('heading', { level: 1, name: TEXTS.pages.send }).waitFor()
      },
    },
  },
}
