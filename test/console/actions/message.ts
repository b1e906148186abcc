/** The page of one message. */
import { send, untilStatus } from '../../support/sms.ts'
import { until } from '../../support/until.ts'
import { TEXTS } from '../texts.ts'
import type { PageActions } from './inventory.ts'
import { type Keys, submit, untilClosed } from './keys.ts'

const [T, C] = [TEXTS.message, TEXTS.common]

const more = async (keys: Keys, item: string): Promise<void> => keys.choose(await keys.button(T.actions.more), item)

export const MESSAGE_ACTIONS: Readonly<Record<string, PageActions>> = {
  message: {
    path: ({ scene }) => `/messages/${scene.delivered}`,
    actions: {
      'copy the id': async (keys) => {
        await keys.enter(await keys.button(`${C.copy}: ${T.details.id}`))
        await keys.sees(C.copied)
      },
      'ask why': async (keys) => {
        await keys.enter(keys.page.locator('summary', { hasText: TEXTS.why.title }))
        await keys.page.locator('.why-summary').waitFor()
        await keys.press('Enter')
      },
      'show and hide the content': async (keys) => {
        await keys.enter(await keys.button(T.content.show))
        await keys.sees('Zoë')
        await keys.enter(await keys.button(T.content.hide))
        await keys.page.getByText('Zoë').first().waitFor({ state: 'detached' })
      },
      'turn the timeline around': async (keys) => {
        await keys.enter(await keys.button(T.timeline.newestFirst))
        await keys.enter(await keys.button(T.timeline.oldestFirst))
      },
      'open all events': async (keys) => {
        await keys.enter(await keys.button(T.timeline.openAll))
        await keys.page.locator('ol.events pre').first().waitFor()
        await keys.enter(await keys.button(T.timeline.closeAll))
      },
      'open an event': async (keys) => {
        await keys.enter(keys.page.locator('ol.events summary').first())
        await keys.page.locator('ol.events pre').first().waitFor()
      },
      'show the state machines': async (keys) => {
        await keys.enter(keys.page.locator('details.card.fold > summary', { hasText: T.machines.title }))
        await keys.page.getByRole('img', { name: new RegExp(T.machines.handoff) }).waitFor()
      },
      'copy as curl': async (keys) => {
        await more(keys, T.actions.curl)
        await keys.page.getByRole('dialog', { name: T.actions.curlTitle }).waitFor()
        await keys.press('Escape')
        await untilClosed(keys)
      },
      resend: async (keys, { gateway, scene }) => {
        await keys.enter(await keys.button(T.actions.resend))
        await keys.page.getByRole('dialog', { name: T.actions.resendTitle }).waitFor()
        await submit(keys, T.actions.resend, T.actions.resent)
        await untilStatus(gateway, scene.delivered, 'delivered')
      },
      'deliver the webhooks again': async (keys, { gateway, hookUrl }) => {
        await gateway.call('POST', '/v1/endpoints', { id: 'again', url: hookUrl })
        const id = await send(gateway)
        await untilStatus(gateway, id, 'delivered')
        await keys.page.goto(`${gateway.url}/console/messages/${id}`)
        await keys.page.locator('.webhook-deliveries li').first().waitFor()
        await more(keys, T.actions.deliver)
        await keys.sees(T.webhookDeliveries.delivering)
        await gateway.call('DELETE', '/v1/endpoints/again')
      },
      erase: async (keys) => {
        await more(keys, T.actions.erase)
        await keys.toggle(await keys.field(T.actions.eraseCheck))
        await keys.enter(await keys.button(T.actions.eraseAction))
        await keys.sees(T.notes.erased)
      },
      'go back to the list, and to the next message': async (keys) => {
        await keys.enter(keys.page.getByRole('link', { name: T.back }))
        await keys.to(keys.page.getByRole('grid', { name: TEXTS.messages.list }))
        await keys.press('j', 'Enter')
        await keys.page.waitForURL('**/messages/*')
        const here = keys.page.url()
        await keys.enter(keys.page.getByRole('link', { name: T.next }))
        await until('another message', () => keys.page.url() !== here)
      },
    },
  },
  'message with an unknown outcome': {
    path: ({ scene }) => `/messages/${scene.unknown}`,
    actions: {
      resolve: async (keys, { gateway, scene }) => {
        await keys.enter(await keys.button(T.actions.resolve))
        const [choice] = T.actions.resolutions.not_sent
        await keys.pick(keys.page.getByRole('dialog').getByLabel(choice))
        await keys.enter(await keys.button(T.actions.resolveAction))
        await untilStatus(gateway, scene.unknown, 'failed')
      },
    },
  },
}
