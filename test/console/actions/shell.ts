/** What every page has: the menu, the palette, the theme, and signing in and out. */
import { until } from '../../support/until.ts'
import { TEXTS } from '../texts.ts'
import type { PageActions } from './inventory.ts'
import { type Keys, untilClosed } from './keys.ts'

const [T, P, S, I, W] = [TEXTS.app, TEXTS.palette, TEXTS.signIn, TEXTS.invitation, TEXTS.password]
const USER = { email: 'lee@shop.example', first: 'correct horse battery staple', next: 'another horse of nine staples' }

const heading = ({ page }: Keys, name: string): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor()

const openMenu = async (keys: Keys): Promise<void> => keys.enter(await keys.button(T.openMenu))

const signIn = async (keys: Keys, password: string): Promise<void> => {
  await keys.write(await keys.field(S.email), USER.email)
  await keys.write(await keys.field(S.password), password)
  await keys.press('Enter')
  await heading(keys, TEXTS.pages.overview)
}

const signOut = async (keys: Keys): Promise<void> => {
  await openMenu(keys)
  await keys.enter(await keys.button(T.signOut))
  await keys.page.getByRole('heading', { name: S.title }).waitFor()
}

export const SHELL_ACTIONS: Readonly<Record<string, PageActions>> = {
  invitation: {
    path: '/',
    actions: {
      'accept it': async (keys, { gateway }) => {
        const body = { email: USER.email, role: 'admin' }
        const invited = await gateway.call<{ invitation: { url: string } }>('POST', '/v1/users', body)
        await keys.page.goto(invited.body.invitation.url)
        await keys.write(await keys.field(W.next), USER.first)
        await keys.enter(await keys.button(I.action))
        await heading(keys, TEXTS.pages.overview)
      },
      'change the password': async (keys) => {
        await openMenu(keys)
        await keys.enter(await keys.button(T.changePassword))
        await keys.page.getByRole('dialog', { name: W.title }).waitFor()
        await keys.write(await keys.field(W.current), USER.first)
        await keys.write(await keys.field(W.next), USER.next)
        await keys.enter(await keys.button(W.action))
        await keys.sees(W.changed)
      },
      'sign in with the password': async (keys) => {
        await keys.page.reload()
        await signOut(keys)
        await signIn(keys, USER.next)
      },
    },
  },
  'every page': {
    path: '/limits',
    actions: {
      'skip to the content': async (keys) => {
        await heading(keys, TEXTS.pages.limits)
        await keys.press('Tab', 'Enter')
        await until('the content', () => keys.page.evaluate<boolean>(`document.activeElement?.id === 'content'`))
      },
      'open another page from the menu': async (keys) => {
        await openMenu(keys)
        await keys.enter(keys.page.getByRole('dialog').getByRole('link', { name: TEXTS.pages.recipients }))
        await heading(keys, TEXTS.pages.recipients)
      },
      'open a page from the palette': async (keys) => {
        await keys.press('Control+k')
        await keys.page.getByRole('combobox', { name: P.hint }).waitFor()
        await keys.page.keyboard.type('supp')
        await keys.page.getByRole('option', { name: TEXTS.pages.suppressions }).waitFor()
        await keys.press('Enter')
        await heading(keys, TEXTS.pages.suppressions)
      },
      'choose a theme': async (keys) => {
        await openMenu(keys)
        await keys.pick(keys.page.getByRole('dialog').getByRole('radio', { name: T.themes.light }))
        await keys.pick(keys.page.getByRole('dialog').getByRole('radio', { name: T.themes.dark }))
        await keys.press('Escape')
        await untilClosed(keys)
      },
      'show the keyboard shortcuts': async (keys) => {
        await keys.press('?')
        await keys.page.getByRole('dialog', { name: T.keysTitle }).waitFor()
        await keys.press('Escape')
        await untilClosed(keys)
      },
      'sign out': signOut,
      'sign in with a token': async (keys, { gateway }) => {
        await keys.enter(keys.page.locator('summary', { hasText: S.useToken }))
        await keys.write(await keys.field(S.token), gateway.token)
        await keys.enter(await keys.button(S.tokenAction))
        await keys.page.getByRole('button', { name: T.openMenu }).waitFor()
        await signOut(keys)
      },
    },
  },
}
