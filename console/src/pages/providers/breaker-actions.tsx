/** Opening and closing a breaker by hand, for administrators; what it means is said before it is done. */
import { useState } from 'react'
import { TEXTS } from '../../texts.ts'
import { Options } from '../../ui/choices.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Button, Field } from '../../ui/parts.tsx'
import { tell } from '../../ui/toast.tsx'
import { type Force, type Provider, useForce } from './data.ts'

const T = TEXTS.providers.actions
const PAUSES = [30, 300, 900, 3600] as const

type Props = Readonly<{ name: string; state: Provider['breaker']['state'] }>

export function BreakerActions({ name, state }: Props) {
  const [asked, setAsked] = useState<Force['action']>()
  const close = () => setAsked(undefined)
  const force = useForce((done) => {
    tell(T.done[done.action](name))
    close()
  })
  return (
    <div className="row">
      {state !== 'closed' && (
        <Button onClick={() => setAsked('reset')}>
          <Named action={T.reset} name={name} />
        </Button>
      )}
      <Button kind="danger" onClick={() => setAsked('trip')}>
        <Named action={state === 'open' ? T.longer : T.trip} name={name} />
      </Button>
      {asked === 'trip' && (
        <Trip
          name={name}
          busy={force.isPending}
          onClose={close}
          onConfirm={(seconds) => force.mutate({ name, action: 'trip', seconds })}
        />
      )}
      {asked === 'reset' && (
        <Confirm
          title={T.resetTitle(name)}
          action={T.reset}
          busy={force.isPending}
          onClose={close}
          onConfirm={() => force.mutate({ name, action: 'reset' })}
        >
          <p>{T.resetMeans}</p>
        </Confirm>
      )}
    </div>
  )
}

/** Buttons of many cards read alike; who only hears them hears whose they are. */
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
