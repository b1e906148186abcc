/** A provider that can accept a message and disconnect: the outcome stays unknown until a person resolves it. */
import { after } from 'node:test'
import { MESSAGEBIRD, openFakeMessageBird } from '../support/fake-messagebird.ts'
import type { Gateway } from '../support/gateway.ts'
import { freshNumber, type Sms, send, untilEvent } from '../support/sms.ts'

/** Messages from this sender use the provider. */
export const UNKNOWN_SENDER = 'Bird'

export type UnknownOutcomes = Awaited<ReturnType<typeof shareUnknownOutcomes>>

export async function shareUnknownOutcomes() {
  const bird = await openFakeMessageBird()
  after(() => bird[Symbol.asyncDispose]())
  const acceptedFor = (to: string): number =>
    bird.messages.filter(({ order }) => order.recipients[0] === to.slice(1)).length
  return {
    bird,
    providers: [
      { name: 'simulator', kind: 'simulator' },
      { name: 'bird', kind: 'messagebird', settings: { ...MESSAGEBIRD, base_url: bird.url, callbacks: false } },
    ],
    route: {
      id: 'bird',
      channel: 'sms',
      sender: UNKNOWN_SENDER,
      providers: ['bird'],
      unknown: { wait_seconds: 3600, policy: 'hold' },
    },
    acceptedFor,
    /** A message with an unknown outcome, and how often the provider has it. */
    async openUnknown(gateway: Gateway, sms: Partial<Sms> = {}) {
      bird.behave('hang up')
      const to = freshNumber()
      const id = await send(gateway, { to, sender_id: UNKNOWN_SENDER, ...sms })
      await untilEvent(gateway, id, 'HandoffUnknown')
      bird.behave('well')
      return { id, accepted: () => acceptedFor(to) }
    },
  }
}
