/** The merged inbox of several simulators. */
import type { Simulator } from './simulator.ts'

type Inboxes = Readonly<{ list: Simulator['inbox']; mail: Simulator['mail'] }>

export const joinInboxes = (simulators: readonly Pick<Simulator, 'inbox' | 'mail'>[]): Inboxes => ({
  async list(query) {
    const inboxes = await Promise.all(simulators.map((simulator) => simulator.inbox(query)))
    return inboxes
      .flat()
      .toSorted((one, other) => other.receivedAt - one.receivedAt)
      .slice(0, query.limit)
  },
  async mail(query) {
    const mails = await Promise.all(simulators.map((simulator) => simulator.mail(query)))
    return mails.find((mail) => mail !== undefined)
  },
})
