/** Pauses a provider and resumes it, for operators. */
import { useState } from 'react'
import { PROVIDERS_TEXTS } from '../../texts/providers.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Button } from '../../ui/parts.tsx'
import { Select } from '../../ui/select.tsx'
import { FullTime } from '../../ui/time.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type BreakerAction, type Provider, useBreakerAction } from './data.ts'
import { PAUSES, type Pause, pauseEnd, pauseSeconds } from './pause.ts'

const T = PROVIDERS_TEXTS.actions

type Props = Readonly<{ name: string; breaker: Provider['breaker'] }>

export function BreakerActions({ name, breaker }: Props) {
  const [asking, setAsking] = useState<BreakerAction['action']>()
  const close = () => setAsking(undefined)
  const setBreaker = useBreakerAction((done) => {
    showToast(T.done[done.action](name))
    close()
  })
  return (
    <div className="row">
      {breaker.state !== 'closed' && (
        <Button onClick={() => setAsking('reset')}>
          <Named action={T.resume} name={name} />
        </Button>
      )}
      <Button onClick={() => setAsking('trip')}>
        <Named action={breaker.paused_at === null ? T.pause : T.longer} name={name} />
      </Button>
      {asking === 'trip' && (
        <PauseDialog
          name={name}
          busy={setBreaker.isPending}
          onClose={close}
          onPause={(seconds) => setBreaker.mutate({ name, action: 'trip', seconds })}
        />
      )}
      {asking === 'reset' && (
        <Confirm
          title={T.resumeTitle(name)}
          action={T.resume}
          busy={setBreaker.isPending}
          onClose={close}
          onConfirm={() => setBreaker.mutate({ name, action: 'reset' })}
        >
          <p>{T.resumeMeans}</p>
        </Confirm>
      )}
    </div>
  )
}

/** Adds the provider's name for screen readers, since all providers have the same buttons. */
const Named = ({ action, name }: Readonly<{ action: string; name: string }>) => (
  <span>
    {action} <span className="visually-hidden">{T.of(name)}</span>
  </span>
)

type PauseProps = Readonly<{ name: string; busy: boolean; onClose: () => void; onPause: (seconds: number) => void }>

function PauseDialog({ name, busy, onClose, onPause }: PauseProps) {
  const [pause, setPause] = useState<Pause>('15m')
  const [chosen, setChosen] = useState<string>()
  const [now] = useState(Date.now)
  const end = pauseEnd(pause, chosen, now)
  const isUsable = pauseSeconds(end, now) !== undefined
  const submit = (): void => {
    const seconds = pauseSeconds(pauseEnd(pause, chosen, Date.now()), Date.now())
    if (seconds !== undefined) onPause(seconds)
  }
  return (
    <FormDialog
      title={T.pauseTitle(name)}
      action={T.pause}
      busy={busy || !isUsable}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{T.pauseMeans}</p>
      <Select label={T.howLong} value={pause} of={PAUSES} nameOf={(one) => T.pauses[one]} onChange={setPause} />
      {pause === 'chosen' && (
        <TimeField
          label={T.end}
          value={chosen}
          min={new Date(now).toISOString()}
          problem={chosen === undefined || isUsable ? undefined : T.tooLong}
          onChange={setChosen}
        />
      )}
      {end !== undefined && isUsable && (
        <p className="soft" role="status">
          {T.ends} <FullTime at={new Date(end).toISOString()} />
        </p>
      )}
    </FormDialog>
  )
}
