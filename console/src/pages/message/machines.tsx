/** The two state machines of a message, for each cycle: the handoff to the provider, and the delivery by the provider. */
import { ChevronRight } from 'lucide-react'
import type { MessageDetails } from '../../api/client.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { useRemembered } from '../../ui/remembered.ts'
import { cyclesOf } from './cycles.ts'
import { MachinePicture, type Plan } from './machine-picture.tsx'
import { toHandoffMachine, toProviderMachine } from './machine-states.ts'

const T = MESSAGE_TEXTS.machines

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

/** Newest cycle first. */
export function Machines({ details }: Readonly<{ details: MessageDetails }>) {
  const [isOpen, setOpen] = useRemembered('pombo.message.machines', false)
  const cycles = cyclesOf(details.events).toReversed()
  return (
    <details className="card fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <ChevronRight aria-hidden="true" />
        <h2>{T.title}</h2>
      </summary>
      {cycles.map((cycle) => (
        <section key={cycle}>
          {cycles.length > 1 && <h3>{MESSAGE_TEXTS.cycle(cycle)}</h3>}
          <div className="machines">
            <MachinePicture
              plan={HANDOFF}
              machine={toHandoffMachine(details, cycle)}
              unknown={details.unknown && cycle === details.cycle}
            />
            <MachinePicture plan={PROVIDER} machine={toProviderMachine(details, cycle)} />
          </div>
        </section>
      ))}
    </details>
  )
}
