/** Settling by hand what nobody knows, with what each choice means. */
import { type FormEvent, useState } from 'react'
import type { MessageDetails } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Button } from '../../ui/parts.tsx'
import { type Settlement, useSettle } from './data.ts'

const T = TEXTS.message.actions
const SETTLEMENTS = ['sent', 'not_sent', 'resend'] as const satisfies readonly Settlement[]

type SettleProps = Readonly<{ details: MessageDetails; onClose: () => void }>

export function SettleDialog({ details, onClose }: SettleProps) {
  const [as, setAs] = useState<Settlement>()
  const settle = useSettle(details.request_id, T.settled)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (as !== undefined) settle.mutate(as, { onSettled: onClose })
  }
  return (
    <Dialog title={T.settleTitle} onClose={onClose}>
      <form onSubmit={submit}>
        <p>{T.settleAbout(details.provider ?? '', details.attempts)}</p>
        <fieldset className="settlements">
          <legend className="visually-hidden">{T.settleTitle}</legend>
          {SETTLEMENTS.map((one) => (
            <label key={one}>
              <input type="radio" name="as" required checked={as === one} onChange={() => setAs(one)} />
              <span>
                <strong>{T.settlements[one][0]}</strong>
                <br />
                <span className="soft">{T.settlements[one][1]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <div className="dialog-foot">
          <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
          <Button kind="primary" type="submit" disabled={as === undefined || settle.isPending}>
            {T.settleAction}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
