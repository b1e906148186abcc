/** Routes, limits, recipients and suppressions. */
import { TEXTS } from '../texts.ts'
import type { PageActions } from './inventory.ts'
import { remove, submit } from './keys.ts'

const [R, L, P, S, C] = [TEXTS.routes, TEXTS.limits, TEXTS.recipients, TEXTS.suppressions, TEXTS.common]

export const CONFIGURE_ACTIONS: Readonly<Record<string, PageActions>> = {
  routes: {
    path: '/routes',
    actions: {
      add: async (keys) => {
        await keys.enter(await keys.button(R.add))
        await keys.write(await keys.field(R.form.id), 'keys')
        await keys.write(await keys.field(R.form.prefix), '+351')
        await keys.enter(await keys.button('+ simulator'))
        await keys.enter(await keys.button('+ spare'))
        await keys.enter(await keys.button(R.form.earlier('spare')))
        await keys.toggle(await keys.field(R.form.ownRetry))
        await submit(keys, C.save, R.form.saved('keys'))
      },
      edit: async (keys) => {
        await keys.enter(await keys.button(R.changeOne('keys')))
        await keys.toggle(await keys.field(R.form.weighted))
        await keys.write(await keys.field(R.form.weightOf('spare')), '30')
        await submit(keys, C.save, R.form.saved('keys'))
      },
      'preview the routing': async (keys) => {
        await keys.write(await keys.field(R.resolve.to), '+351911111111')
        await keys.choose(keys.page.getByRole('button', { name: R.resolve.type }), R.kinds.sms)
        await keys.enter(await keys.button(R.resolve.action))
        await keys.sees(/matches route keys/)
      },
      remove: (keys) => remove(keys, R.removeOne('keys'), R.removed('keys')),
    },
  },
  limits: {
    path: '/limits',
    actions: {
      add: async (keys) => {
        await keys.enter(await keys.button(L.add))
        await keys.choose(
          keys.page.getByRole('dialog').getByRole('button', { name: L.key.scope }),
          L.key.scopes.account,
        )
        await keys.write(await keys.field(L.key.names.account), 'keys')
        await keys.write(await keys.field(L.form.most), '7')
        await submit(keys, C.save, L.form.saved)
      },
      edit: async (keys) => {
        await keys.enter(await keys.button(L.changeOne(L.one.account('keys'))))
        await keys.write(await keys.field(L.form.most), '8')
        await submit(keys, C.save, L.form.saved)
      },
      'look up the usage': async (keys) => {
        await keys.choose(keys.page.getByRole('button', { name: L.key.scope }), L.key.scopes.account)
        await keys.write(await keys.field(L.key.names.account), 'keys')
        await keys.enter(await keys.button(L.lookup.action))
        await keys.page.locator('.found').getByText(L.one.account('keys')).waitFor()
      },
      'show those of one kind': (keys) =>
        keys.choose(keys.page.getByRole('button', { name: L.show }), L.key.scopes.account),
      remove: (keys) => remove(keys, L.removeOne(L.one.account('keys')), L.removed),
    },
  },
  recipients: {
    path: '/recipients',
    actions: {
      add: async (keys) => {
        await keys.enter(await keys.button(P.add))
        await keys.write(await keys.field(P.fields.name), 'Keys Keller')
        await keys.write(await keys.field(P.fields.phone), '+15005550795')
        await submit(keys, C.add, P.added('Keys Keller'))
      },
      edit: async (keys) => {
        await keys.enter(await keys.button(P.changeWho('Keys Keller')))
        await keys.write(await keys.field(P.fields.email), 'keys@mail.example')
        await submit(keys, C.save, P.changed('Keys Keller'))
      },
      search: async (keys) => {
        await keys.write(keys.page.getByRole('searchbox'), 'keller')
        await keys.page.getByText('Ana Souza').waitFor({ state: 'detached' })
      },
      remove: (keys) => remove(keys, P.removeWho('Keys Keller'), P.removed('Keys Keller')),
    },
  },
  suppressions: {
    path: '/suppressions',
    actions: {
      add: async (keys) => {
        await keys.enter(await keys.button(S.add))
        await keys.write(await keys.field(S.address), 'keys@mail.example')
        await keys.write(await keys.field(S.note), 'by key')
        await submit(keys, C.add, S.added('keys@mail.example'))
      },
      'import a list': async (keys) => {
        await keys.enter(await keys.button(S.import))
        await keys.write(await keys.field(S.list), 'two@mail.example\nnonsense')
        await keys.enter(await keys.button(S.dropWrong))
        await submit(keys, S.importAction(1), S.imported(1))
      },
      search: async (keys) => {
        await keys.write(keys.page.getByRole('searchbox'), 'keys')
        await keys.page.getByText('two@mail.example').waitFor({ state: 'detached' })
      },
      'show those with one reason': (keys) =>
        keys.choose(keys.page.getByRole('button', { name: S.reason }), S.reasons.manual),
      remove: (keys) => remove(keys, S.remove('keys@mail.example'), S.removed('keys@mail.example')),
    },
  },
}
