/** The two state machines of a message: the handoff to the provider, and the delivery by the provider. */
import type { MessageDetails } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { Card } from '../../ui/parts.tsx'
import { MachinePicture, type Plan } from './machine-picture.tsx'
import { toHandoffMachine, toProviderMachine } from './machine-states.ts'

const T = TEXTS.message.machines

const HANDOFF: Plan = {
  name: T.handoff,
  states: { queued: [0, 1], sending: [1, 1], handed_off: [2, 0], failed: [2, 2] },
  transitions: [
    ['queued', 'sending'],
    ['sending', 'handed_off'],
    ['sending', 'failed'],
  ],
}

const PROVIDER: Plan = {
  name: T.provider,
  states: {
    unknown: [0, 1],
    accepted: [1, 1],
    delivered: [2, 0],
    dropped: [2, 1],
    timed_out: [2, 2],
    bounced: [3, 0],
    complaint: [3, 1],
  },
  transitions: [
    ['unknown', 'accepted'],
    ['accepted', 'delivered'],
    ['accepted', 'dropped'],
    ['accepted', 'timed_out'],
    ['delivered', 'bounced'],
    ['bounced', 'complaint'],
  ],
}

export const Machines = ({ details }: Readonly<{ details: MessageDetails }>) => (
  <Card title={T.title}>
    <div className="machines">
      <MachinePicture plan={HANDOFF} machine={toHandoffMachine(details)} unknown={details.unknown} />
      <MachinePicture plan={PROVIDER} machine={toProviderMachine(details)} />
    </div>
    <p className="soft nums">{T.about(details.cycle, details.attempts)}</p>
  </Card>
)
