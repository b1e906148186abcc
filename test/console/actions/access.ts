/** Users, API keys, the audit log and tenants. */
import { TEXTS } from '../texts.ts'
import type { PageActions } from './inventory.ts'
import { download, remove, submit, untilClosed } from './keys.ts'

const [U, K, A, T, C] = [TEXTS.users, TEXTS.apiKeys, TEXTS.auditLog, TEXTS.tenants, TEXTS.common]
const KIM = 'kim@shop.example'

export const ACCESS_ACTIONS: Readonly<Record<string, PageActions>> = {
  users: {
    path: '/users',
    actions: {
      invite: async (keys) => {
        await keys.enter(await keys.button(U.invite))
        await keys.write(await keys.field(U.fields.email), KIM)
        await keys.choose(keys.page.getByRole('dialog').getByRole('button', { name: U.fields.role }), U.roles.support)
        await keys.enter(await keys.button(U.inviteAction))
        await keys.sees(U.linkTitle(KIM))
        await keys.press('Escape')
        await untilClosed(keys)
      },
      'make a new link': async (keys) => {
        await keys.enter(await keys.button(U.againWho(KIM)))
        await keys.sees(U.linkTitle(KIM))
        await keys.press('Escape')
        await untilClosed(keys)
      },
      edit: async (keys) => {
        await keys.enter(await keys.button(U.changeWho(KIM)))
        await keys.choose(keys.page.getByRole('dialog').getByRole('button', { name: U.fields.role }), U.roles.viewer)
        await submit(keys, C.save, U.changed(KIM))
      },
      remove: (keys) => remove(keys, U.removeWho(KIM), U.removed(KIM)),
    },
  },
  'API keys': {
    path: '/api-keys',
    actions: {
      create: async (keys) => {
        await keys.enter(await keys.button(K.create))
        await keys.write(await keys.field(K.fields.name), 'Keys')
        await keys.toggle(keys.page.getByRole('dialog').getByLabel('messages:read'))
        await keys.choose(
          keys.page.getByRole('dialog').getByRole('button', { name: K.fields.expiry }),
          K.expiries['90'],
        )
        await keys.enter(await keys.button(K.createAction))
        await keys.sees(K.onlyOnce)
        await keys.enter(await keys.button(C.close))
        await untilClosed(keys)
      },
      rotate: async (keys) => {
        await keys.enter(await keys.button(K.rotateOne('Keys')))
        await keys.enter(await keys.button(K.rotateAction))
        await keys.sees(K.onlyOnce)
        await keys.press('Escape')
        await untilClosed(keys)
      },
      revoke: async (keys) => {
        await keys.enter(await keys.button(K.revokeOne('Keys')))
        await submit(keys, K.revokeAction, K.revoked('Keys'))
      },
    },
  },
  'audit log': {
    path: '/audit-log',
    actions: {
      'filter by action': async (keys) => {
        await keys.choose(keys.page.getByRole('button', { name: A.filters.action }), 'user.created')
        await keys.page
          .getByRole('button', { name: /^Details of api_key.created/ })
          .first()
          .waitFor({ state: 'detached' })
      },
      'see an entry': async (keys) => {
        await keys.enter(keys.page.getByRole('button', { name: /^Details of user.created/ }).first())
        await keys.sees(A.facts.request)
        await keys.press('Enter')
      },
      'filter by time': async (keys) => {
        await keys.to(keys.page.getByRole('group', { name: A.filters.to }).getByRole('spinbutton').first())
        await keys.page.keyboard.type('010120201200A')
        await keys.sees(A.noneFound)
      },
      'clear the filters': async (keys) => {
        await keys.enter(await keys.button(A.filters.clear))
        await keys.page
          .getByRole('button', { name: /^Details of api_key.created/ })
          .first()
          .waitFor()
      },
      'export as CSV': (keys) => download(keys, A.exportAs.csv, /^audit-log\.csv$/),
      'export as NDJSON': (keys) => download(keys, A.exportAs.ndjson, /^audit-log\.ndjson$/),
    },
  },
  tenants: {
    path: '/tenants',
    actions: {
      create: async (keys) => {
        await keys.enter(await keys.button(T.add))
        await keys.write(keys.page.getByRole('dialog').getByLabel(T.fields.id).first(), 'keys')
        await keys.write(await keys.field(T.quotaNames.routes), '10')
        await submit(keys, T.addAction, T.added('keys'))
      },
      edit: async (keys) => {
        await keys.enter(await keys.button(T.changeOne('keys')))
        await keys.write(await keys.field(T.fields.name), 'Keys')
        await submit(keys, C.save, T.changed('keys'))
      },
      'see the usage of its quotas': async (keys) => {
        await keys.enter(await keys.button(T.usageOf('keys')))
        await keys.sees(T.used('0', '10'))
        await keys.press('Escape')
        await untilClosed(keys)
      },
      suspend: async (keys) => {
        await keys.enter(await keys.button(T.switchOne.active('keys')))
        await submit(keys, T.switch.active, T.switched.active('keys'))
      },
      activate: async (keys) => {
        await keys.enter(await keys.button(T.switchOne.suspended('keys')))
        await submit(keys, T.switch.suspended, T.switched.suspended('keys'))
      },
    },
  },
}
