/** Webhook endpoints and their deliveries. */
import { send } from '../../support/sms.ts'
import { until } from '../../support/until.ts'
import { TEXTS } from '../texts.ts'
import type { PageActions } from './inventory.ts'
import { submit, untilClosed } from './keys.ts'

const [T, C] = [TEXTS.webhooks, TEXTS.common]

export const WEBHOOK_ACTIONS: Readonly<Record<string, PageActions>> = {
  webhooks: {
    path: '/webhooks',
    actions: {
      add: async (keys, { hookUrl }) => {
        await keys.enter(await keys.button(T.add))
        await keys.write(await keys.field(T.fields.url), hookUrl)
        await keys.write(await keys.field(T.fields.id), 'keys')
        await keys.enter(await keys.button(C.add))
        await keys.page.getByRole('heading', { level: 1, name: 'keys' }).waitFor()
      },
      edit: async (keys) => {
        await keys.enter(await keys.button(C.edit))
        await keys.write(await keys.field(T.fields.description), 'By keys')
        await submit(keys, C.save, T.changed('keys'))
      },
      'disable and enable': async (keys) => {
        await keys.enter(await keys.button(T.disable))
        await keys.sees(T.disabled('keys'))
        await keys.enter(await keys.button(T.enable))
        await keys.sees(T.enabled('keys'))
      },
      'reveal the secret': async (keys) => {
        await keys.enter(await keys.button(T.reveal))
        await keys.sees(/whsec_[\w+/]/)
        await keys.enter(await keys.button(T.hide))
      },
      'rotate the secret': async (keys) => {
        await keys.enter(await keys.button(T.rotate))
        await submit(keys, T.rotateAction, T.rotated)
      },
      'send a test event': async (keys) => {
        await keys.enter(await keys.button(T.test.open))
        await keys.page.getByRole('dialog').waitFor()
        await keys.enter(await keys.button(T.test.action))
        await keys.sees(T.attempts.status(204))
        await keys.to(keys.page.getByRole('dialog').getByRole('tab', { name: T.attempts.response }))
        await keys.press('ArrowLeft')
        await keys.sees('webhook-signature')
        await keys.press('Escape')
        await untilClosed(keys)
      },
      'see the attempts of a delivery': async (keys, { gateway }) => {
        const id = await send(gateway)
        await until('its delivery', async () => (await keys.page.getByTitle(id).count()) > 0)
        await keys.enter(await keys.button(T.attemptsOf(id)))
        await keys.enter(
          keys.page
            .getByRole('dialog')
            .getByRole('button', { name: /^Inspect/ })
            .first(),
        )
        await keys.press('Escape')
        await keys.press('Escape')
        await untilClosed(keys)
      },
      'deliver again': async (keys) => {
        const again = keys.page.getByRole('button', { name: new RegExp(`^${T.replay}`) }).first()
        const [answer] = await Promise.all([keys.page.waitForResponse('**/replay'), keys.enter(again)])
        if (!answer.ok()) throw new Error(`${answer.status()}`)
      },
      'replay since': async (keys) => {
        await keys.enter(await keys.button(T.replaySince))
        await submit(keys, T.replay, /^Replaying the webhooks of|^Nothing to replay/)
      },
      'show the deliveries in one state': (keys) =>
        keys.choose(keys.page.getByRole('button', { name: T.state }), T.states.delivered),
      'list all attempts': async (keys) => {
        await keys.to(keys.page.getByRole('tab', { name: T.deliveries }))
        await keys.press('ArrowRight')
        await keys.sees(T.attempts.about)
      },
      remove: async (keys) => {
        await keys.enter(await keys.button(T.remove))
        await keys.enter(await keys.button(C.remove))
        await keys.sees(T.removed('keys'))
      },
    },
  },
}
