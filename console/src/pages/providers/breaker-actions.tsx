/** Trips and resets a circuit breaker, for administrators, after a confirmation. */
import { useState } from 'react'
import { TEXTS } from '../../texts.ts'
import { Options } from '../../ui/choices.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Button, Field } from '../../ui/parts.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type BreakerAction, type Provider, useBreakerAction } from './data.ts'

const T = TEXTS.providers.actions
const PAUSES = [30, 300, 900, 3600] as const

type Props = Readonly<{ name: string; state: Provider['breaker']['state'] }>

export function BreakerActions({ name, state }: Props) {
  const [confirming, setConfirming] = useState<BreakerAction['action']>()
  const close = () => setConfirming(undefined)
  const setBreaker = useBreakerAction((done) => {
    showToast(T.done[done.action](name))
    close()
  })
  return (
    <div className="row">
      {state !== 'closed' && (
        <Button onClick={() => setConfirming('reset')}>
          <Named action={T.reset} name={name} />
        </Button>
      )}
      <Button kind="danger" onClick={() => setConfirming('trip')}>
        <Named action={state === 'open' ? T.longer : T.trip} name={name} />
      </Button>
      {confirming === 'trip' && (
        <Trip
          name={name}
          busy={setBreaker.isPending}
          onClose={close}
          onConfirm={(seconds) => setBreaker.mutate({ name, action: 'trip', seconds })}
        />
      )}
      {confirming === 'reset' && (
        <Confirm
          title={T.resetTitle(name)}
          action={T.reset}
          busy={setBreaker.isPending}
          onClose={close}
          onConfirm={() => setBreaker.mutate({ name, action: 'reset' })}
        >
          <p>{T.resetMeans}</p>
        </Confirm>
      )}
    </div>
  )
}

/** Adds the provider's name for screen readers, since all cards have the same buttons. */
const Named = ({ action, name }: Readonly<{ action: string; name: string }>) => (
  <span>
    {action} <span className="visually-hidden">{T.of(name)}</span>
  </span>
)

type TripProps = Readonly<{ name: string; busy: boolean; onClose: () => void; onConfirm: (seconds: number) => void }>

function Trip({ name, busy, onClose, onConfirm }: TripProps) {
  const [seconds, setSeconds] = useState<number>(PAUSES[1])
  return (
    <Confirm
      title={T.tripTitle(name)}
      action={T.trip}
      danger
      busy={busy}
      onClose={onClose}
      onConfirm={() => onConfirm(seconds)}
    >
      <div className="stack">
        <p>{T.tripMeans}</p>
        <Field label={T.howLong}>
          <select value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
            <Options of={PAUSES} nameOf={(one) => T.pauses[one]} />
          </select>
        </Field>
      </div>
    </Confirm>
  )
}
