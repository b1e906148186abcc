/** Settling by hand what nobody knows, with what each choice means. */
import { useState } from 'react'
import type { MessageDetails } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { type Settlement, useSettle } from './data.ts'

const T = TEXTS.message.actions
const SETTLEMENTS = ['sent', 'not_sent', 'resend'] as const satisfies readonly Settlement[]

type SettleProps = Readonly<{ details: MessageDetails; onClose: () => void }>

export function SettleDialog({ details, onClose }: SettleProps) {
  const [as, setAs] = useState<Settlement>()
  const settle = useSettle(details.request_id, T.settled)
  return (
    <FormDialog
      title={T.settleTitle}
      action={T.settleAction}
      busy={as === undefined || settle.isPending}
      onSubmit={() => as !== undefined && settle.mutate(as, { onSettled: onClose })}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}
